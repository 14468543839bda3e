import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// The commands `add`, `edit`, `delete` and `show`.
final class RecordCommandTests: TimedTestCase {
    func testAddMakesAndPrintsASKU() async throws {
        let till = try Till()
        let outcome = await till.type("add", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        let sku = outcome.results.trimmed
        XCTAssertNotNil(sku.wholeMatch(of: /[A-Z][A-Z2-9]{3}-[A-Z2-9]{4}/), sku)
        let shown = await till.type("show", sku)
        XCTAssertEqual(shown.rows.first?[2], "T")
    }

    func testAddOfASKUThatExistsIsAConflict() async throws {
        let till = try Till()
        let first = await till.add("LP-1", "--title", "First")
        XCTAssertEqual(first.results, "LP-1\n")
        let second = await till.add("LP-1", "--title", "Second")
        XCTAssertEqual(second.exitCode, .conflict)
        XCTAssertEqual(second.results, "")
        XCTAssertTrue(second.messages.contains("LP-1 exists already"), second.messages)
        let shown = await till.type("show", "LP-1")
        XCTAssertEqual(shown.rows.first?[2], "First")
    }

    func testAddWithJSONPrintsTheRecord() async throws {
        let till = try Till()
        let outcome = await till.type(
            "add", "--sku", "K-1", "--artist", "A", "--title", "T", "--price", "1.005", "--currency", "kwd",
            "--barcode", "036000291452", "--media-condition", "very good plus (vg+)", "--sleeve-condition", "no cover",
            "--json")
        XCTAssertEqual(
            outcome.results,
            #"{"sku":"K-1","artist":"A","title":"T","label":null,"catalogue_number":null,"format":null,"year":null,"#
                + #""country":null,"barcode":"0036000291452","media_condition":"VG+","sleeve_condition":"none","#
                + #""price":{"amount":1005,"currency":"KWD"},"quantity":1,"status":"for_sale","location":null,"#
                + #""notes":null,"external_ids":null,"genre":null,"cost":null,"consignor":null}"# + "\n")
    }

    func testEditOfEveryField() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let values = [
            "artist": "B", "title": "U", "label": "L", "catalogue_number": "C 1", "format": "LP, Album", "year": "1999",
            "country": "DE", "barcode": "4006381333931", "media_condition": "NM", "sleeve_condition": "not_graded",
            "price": "20.50", "currency": "USD", "quantity": "7", "status": "draft", "location": "Z-1", "notes": "n",
            "discogs_listing": "5", "discogs_release": "6", "genre": "Jazz", "cost": "9.10",
            "consignor": "Ms. Owner",
        ]
        let flags = values.flatMap { ["--\($0.key.replacing("_", with: "-"))", $0.value] }
        let edited = await till.type(["edit", "LP-1"] + flags)
        XCTAssertEqual(edited.exitCode, .done, edited.messages)
        let expected = RecordField.allCases.map { $0 == .sku ? "LP-1" : values[$0.rawValue] ?? "?" }
        XCTAssertEqual(edited.rows, [expected])
        let shown = await till.type("show", "LP-1")
        XCTAssertEqual(shown.rows, [expected])

        let optional = RecordField.allCases.filter { !$0.isRequired }
        let cleared = await till.type(["edit", "LP-1"] + optional.flatMap { ["--clear", $0.rawValue] })
        XCTAssertEqual(
            cleared.rows, [zip(RecordField.allCases, expected).map { $0.isRequired ? $1 : "" }], cleared.messages)
    }

    func testEditSaysWhetherAnythingChanged() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        for message in ["LP-1 is changed.\n", "Nothing was changed: LP-1 is like that already.\n"] {
            let outcome = await till.type("edit", "LP-1", "--location", "A-12")
            XCTAssertEqual(outcome.exitCode, .done)
            XCTAssertEqual(outcome.messages, message)
            XCTAssertEqual(outcome.skus, ["LP-1"])
        }
    }

    func testEditRefusesWhatDoesNotSuitTheRecord() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--price", "20.50")
        for (flags, complaint) in [
            (["--currency", "JPY"], "of 20.50 EUR; give the new price too: --price AMOUNT --currency JPY"),
            (["--currency", "JPY", "--price", "1.5"], "the currency has none"), (["--price", "1,5"], "decimal point"),
            (["--clear", "artist"], "cannot be cleared"), (["--year", "99"], "out of range"), ([], "requires a field"),
            (["--titel", "x"], "did you mean --title?"),
        ] {
            let outcome = await till.type(["edit", "LP-1"] + flags)
            XCTAssertEqual(outcome.exitCode, .usage, "\(flags)")
            XCTAssertTrue(outcome.messages.contains(complaint), outcome.messages)
            XCTAssertTrue(outcome.messages.contains("record-inventory edit --help"), outcome.messages)
        }
        let shown = await till.type("show", "LP-1")
        XCTAssertEqual(shown.rows.first?[11...12], ["20.50", "EUR"])
    }

    /// What a copy cost was paid in the former currency.
    func testACostIsNotTakenIntoAnotherCurrency() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--price", "1500", "--cost", "600", "--currency", "JPY")
        let new = ["--price", "12", "--currency", "EUR"]
        let refused = await till.type(["edit", "LP-1"] + new)
        XCTAssertEqual(refused.exitCode, .usage)
        XCTAssertTrue(refused.messages.contains("--cost AMOUNT or --clear cost"), refused.messages)
        let edited = await till.type(["edit", "LP-1", "--cost", "4.50"] + new)
        XCTAssertEqual(edited.rows.first?[20], "4.50", edited.messages)
        let file = try till.file("LP-1,Artist,Title,14,USD")
        let imported = await till.type("import", file, "--on-duplicate", "update")
        XCTAssertEqual(imported.exitCode, .done, imported.messages)
        let shown = await till.type("show", "LP-1")
        XCTAssertEqual(shown.rows.first.map { [$0[11], $0[12], $0[20]] }, ["14.00", "USD", ""])
    }

    func testAMissingRecordIsNotFound() async throws {
        let till = try Till()
        try till.makeStore()
        for makesShop in [false, true] {
            if makesShop { _ = await till.add("OTHER") }
            for command in [
                ["show", "NO"], ["edit", "NO", "--notes", "x"], ["delete", "NO", "--yes"], ["sell", "NO"],
                ["restock", "NO"],
            ] {
                let outcome = await till.type(command)
                XCTAssertEqual(outcome.exitCode, .notFound, "\(command)")
                XCTAssertTrue(outcome.messages.contains("there is no record NO"), outcome.messages)
                XCTAssertEqual(outcome.results, "")
            }
        }
    }

    func testDeleteNamesWhatGoesWithTheRecord() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        _ = await till.type("reserve", "A", "-n", "2", "--for", "Ada", "--until", "2100-01-31")
        let asked = await till.type("delete", "A", answer: "n\n")
        XCTAssertTrue(
            asked.messages.contains(
                "Delete A, Artist: Title, with 3 copies in stock, 2 reserved for Ada until 2100-01-31? [y/N]"),
            asked.messages)
        _ = await till.add("B", "--quantity", "0")
        let empty = await till.type("delete", "B", answer: "n\n")
        XCTAssertTrue(empty.messages.contains("Delete B, Artist: Title? [y/N]"), empty.messages)
    }

    func testVerboseNamesNoHostForTheStore() async throws {
        let till = try Till()
        _ = await till.add("A")
        let shown = await till.type("show", "A", "--verbose")
        XCTAssertTrue(shown.messages.contains("/batch: 200"), shown.messages)
        XCTAssertFalse(shown.messages.contains("invalid"), shown.messages)
    }

    func testDeleteAsksOnATerminalAndWantsYesElsewhere() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let piped = await till.type("delete", "LP-1")
        XCTAssertEqual(piped.exitCode, .usage)
        XCTAssertTrue(piped.messages.contains("--yes"), piped.messages)
        let missing = await till.type("delete", "LP-2")
        XCTAssertEqual(missing.exitCode, .usage, "the exit code is the same for a missing record")
        let refused = await till.type("delete", "LP-1", answer: "n\n")
        XCTAssertEqual(refused.exitCode, .failed)
        XCTAssertTrue(
            refused.messages.contains("Delete LP-1, Artist: Title, with 1 copy in stock? [y/N]"), refused.messages)
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["LP-1"])
        let agreed = await till.type("delete", "LP-1", answer: "y\n")
        XCTAssertEqual(agreed.exitCode, .done)
        let after = await till.type("list")
        XCTAssertEqual(after.results, "")
    }

    func testARecordOfAnotherProgramIsLeftOutAndCanBeDeleted() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        try await till.addUnreadable("OTHER")
        let complaint = "the record OTHER cannot be read: it has no sku"
        for command in [["list"], ["export", "-"]] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .partlyDone, "\(command)")
            XCTAssertTrue(outcome.messages.contains("\(complaint); it is left out"), outcome.messages)
        }
        let listed = await till.type("list")
        XCTAssertEqual(listed.skus, ["LP-1"])
        let shown = await till.type("show", "OTHER")
        XCTAssertEqual(shown.exitCode, .failed)
        XCTAssertTrue(shown.messages.contains(complaint), shown.messages)
        let deleted = await till.type("delete", "OTHER", answer: "y\n")
        XCTAssertEqual(deleted.exitCode, .done)
        XCTAssertTrue(deleted.messages.contains("Delete OTHER, which cannot be read? [y/N]"), deleted.messages)
        let after = await till.type("list")
        XCTAssertEqual(after.exitCode, .done)
    }

    func testDeleteWithJSONPrintsWhatWasDeleted() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let shown = await till.type("show", "LP-1", "--json")
        let deleted = await till.type("delete", "LP-1", "--yes", "--json")
        XCTAssertEqual(deleted.results, shown.results)
        _ = await till.add("LP-1")
        let edited = await till.type("edit", "LP-1", "--title", "U", "--json", answer: "")
        XCTAssertTrue(edited.results.contains(#""title": "U""#), "on a terminal too: \(edited.results)")
        XCTAssertTrue(shown.results.hasPrefix(#"{"sku":"LP-1","#))
    }
}
