import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportCommandTests: TimedTestCase {
    private func sample(_ name: String) throws -> String { try Sample.url(name).path }

    func testTheSameFileTwiceChangesNothing() async throws {
        let till = try Till()
        let file = try sample("discogs-inventory-export-bom.csv")
        let first = await till.type("import", file, "--currency", "EUR")
        XCTAssertEqual(first.exitCode, .done, first.messages)
        XCTAssertEqual(first.results, "3 created, 0 updated, 0 unchanged, 0 rejected\n")
        let before = await till.type("list", "--json")
        let second = await till.type("import", file, "--currency", "EUR", "--json")
        XCTAssertEqual(second.exitCode, .done)
        XCTAssertEqual(
            second.results,
            #"{"created":0,"updated":0,"unchanged":3,"rejected":[],"quantities_set":0,"quantities_kept":0}"# + "\n")
        let after = await till.type("list", "--json")
        XCTAssertEqual(after.results, before.results)
    }

    func testADiscogsFileWithoutACurrencyIsUsage() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("discogs-inventory-export-utf8.csv"))
        XCTAssertEqual(outcome.exitCode, .usage)
        XCTAssertTrue(outcome.messages.contains("--currency"), outcome.messages)
        XCTAssertEqual(outcome.results, "")
    }

    func testAFileThatIsNotUTF8IsRefusedByItsEncoding() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("inventory-windows1252-semicolon.csv"), "--currency", "EUR")
        XCTAssertEqual(outcome.exitCode, .badData)
        XCTAssertTrue(outcome.messages.contains("Windows-1252"), outcome.messages)
    }

    func testGoodRowsGoInAndBadRowsAreNamed() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("inventory-bad-rows.csv"), "--json", "--quiet")
        XCTAssertEqual(outcome.exitCode, .partlyDone)
        let summary = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(outcome.results.utf8)) as? [String: Any])
        XCTAssertEqual(summary["created"] as? Int, 1)
        let rejected = try XCTUnwrap(summary["rejected"] as? [[String: Any]])
        XCTAssertEqual(rejected.map { $0["row"] as? Int }, Array(3...10))
        XCTAssertEqual(
            rejected.map { $0["sku"] as? String },
            ["SKU-2", "SKU-3", "SKU-4", "SKU-5", "SKU-1", "SKU-6", "SKU-7", "SKU-8"])
        XCTAssertEqual(rejected[4]["reason"] as? String, "this SKU is already in row 2")
        XCTAssertTrue(
            outcome.results.hasPrefix(#"{"created":1,"updated":0,"unchanged":0,"rejected":[{"row":3,"sku":"SKU-2","#))
        XCTAssertTrue(
            outcome.messages.contains("row 10 (SKU-8): title: missing; 2 cells, but row 1 names 8 columns"),
            "also with --quiet")
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["SKU-1"])
    }

    func testARowThatIsRejectedTakesOneLine() async throws {
        let till = try Till()
        let outcome = await till.type("import", try till.file("\"A\nB\",Artist,Title,1,EUR"))
        XCTAssertEqual(
            outcome.messages,
            "record-inventory: row 2 (A·B): sku \"A·B\": holds a line break or another control character\n")
    }

    func testDuplicatesFollowThePolicy() async throws {
        let till = try Till()
        _ = await till.type("import", try till.file("A,Artist,Old,1,EUR", "B,Artist,Same,1,EUR"))
        let file = try till.file("A,Artist,New,2,EUR", "B,Artist,Same,1,EUR", "C,Artist,More,3,EUR")
        for (policy, isDryRun, created, updated, unchanged, rejected) in [
            ("skip", true, 1, 0, 2, 0), ("update", true, 1, 1, 1, 0), ("fail", true, 1, 0, 0, 2),
            ("fail", false, 1, 0, 0, 2), ("skip", false, 0, 0, 3, 0), ("update", false, 0, 1, 2, 0),
            ("update", false, 0, 0, 3, 0),
        ] {
            let outcome = await till.type(
                ["import", file, "--on-duplicate", policy] + (isDryRun ? ["--dry-run"] : []))
            let summary = "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected) rejected\n"
            XCTAssertTrue(outcome.results.hasSuffix(summary), "\(policy) \(isDryRun): \(outcome.results)")
            XCTAssertEqual(outcome.exitCode, rejected == 0 ? .done : .partlyDone, policy)
            let list = await till.type("list", "--sort", "sku")
            XCTAssertEqual(list.skus, isDryRun ? ["A", "B"] : ["A", "B", "C"], "\(policy) \(isDryRun)")
        }
        let titles = await till.type("list").rows.map { $0[2] }
        XCTAssertEqual(titles, ["New", "Same", "More"])
    }

    func testBadRowsWithoutEndCanBeInterrupted() async throws {
        let till = try Till()
        let file = try till.file((0..<100).map { "S-\($0),Artist,Title,much,EUR" }.joined(separator: "\n"))
        let complaints = Transcript()
        let messages = Output(
            isTerminal: false, columns: { 80 },
            write: { text throws(FileError) in
                try complaints.output().write(text)
                withUnsafeCurrentTask { $0?.cancel() }
            })
        let shell = Shell(results: Transcript().output(), messages: messages, input: .texts(), environment: [:])
        let arguments = ["import", file, "--store", till.folder.path("stock.sqlite")]
        let exitCode = await Task { await shell.run(arguments, run: CommandContext.run) }.value
        XCTAssertEqual(exitCode, .interrupted)
        XCTAssertEqual(complaints.text.split(separator: "\n").count, 1, complaints.text)
    }

    func testADryRunSaysWhatTheImportWouldDo() async throws {
        let till = try Till()
        let file = try till.file("A,Artist,Title,1,EUR", "OTHER,Artist,Title,1,EUR")
        let new = await till.type("import", file, "--dry-run")
        XCTAssertTrue(new.results.hasSuffix("2 created, 0 updated, 0 unchanged, 0 rejected\n"), new.messages)
        _ = await till.add("A")
        try await till.addUnreadable("OTHER")
        for (policy, summary, exitCode) in [
            ("skip", "0 created, 0 updated, 2 unchanged, 0 rejected\n", .done),
            ("fail", "0 created, 0 updated, 0 unchanged, 2 rejected\n", .partlyDone),
            ("update", "0 created, 1 updated, 0 unchanged, 1 rejected\n", .partlyDone),
        ] as [(String, String, ExitCode)] {
            for options in [["--dry-run"], []] {
                let outcome = await till.type(["import", file, "--on-duplicate", policy] + options)
                XCTAssertTrue(outcome.results.hasSuffix(summary), "\(policy) \(options): \(outcome.results)")
                XCTAssertEqual(outcome.exitCode, exitCode, "\(policy) \(options)")
            }
        }
    }

    func testAnUpdateLeavesAloneWhatTheFileHasNoColumnFor() async throws {
        let till = try Till()
        let stock = try till.file(
            "A,Artist,Old,10.00,EUR,7,draft,A-12,Signed,4006381333931",
            header: "sku,artist,title,price,currency,quantity,status,location,notes,barcode")
        _ = await till.type("import", stock)
        let file = try till.file("A,Artist,New,9.50,", header: "sku,artist,title,price,notes")
        let update = ["import", file, "--currency", "EUR", "--on-duplicate", "update"]
        for (arguments, summary) in [
            (update + ["--dry-run"], "1 updated, 0 unchanged"), (update, "1 updated, 0 unchanged"),
            (update, "0 updated, 1 unchanged"), (update + ["--dry-run"], "0 updated, 1 unchanged"),
        ] {
            let outcome = await till.type(arguments)
            XCTAssertTrue(outcome.results.contains(summary), "\(arguments): \(outcome.results)\(outcome.messages)")
        }
        let shown = await till.type("show", "A")
        XCTAssertEqual(
            shown.results, "A\tArtist\tNew\t\t\t\t\t\t4006381333931\t\t\t9.50\tEUR\t7\tdraft\tA-12\t\t\t\t\t\t\n")
    }

    func testAnUpdateLeavesAQuantityAndAStatusAloneWhereTheirCellsAreEmpty() async throws {
        let till = try Till()
        let header = "sku,artist,title,price,currency,quantity,status"
        _ = await till.type("import", try till.file("A,Artist,Old,10.00,EUR,7,draft", header: header))
        let file = try till.file("A,Artist,New,9.50,EUR,,", "B,Artist,New,9.50,EUR,,", header: header)
        let outcome = await till.type("import", file, "--on-duplicate", "update")
        XCTAssertEqual(outcome.results, "1 created, 1 updated, 0 unchanged, 0 rejected\n")
        let rows = await till.type("list", "--sort", "sku").results
        XCTAssertTrue(rows.contains("New\t"), rows)
        for (sku, quantity, status) in [("A", "7", "draft"), ("B", "1", "for_sale")] {
            let shown = await till.type("show", sku).rows.first ?? []
            XCTAssertTrue(shown.contains(quantity) && shown.contains(status), "\(shown)")
        }
    }

    func testAFileThatIsNotThereOrNoCSVSaysSo() async throws {
        let till = try Till()
        let missing = await till.type("import", till.folder.path("missing.csv"))
        XCTAssertEqual(missing.exitCode, .failed)
        XCTAssertTrue(missing.messages.contains("missing.csv could not be read: there is no such file"))
        for (header, complaint) in [
            ("sku,artist,tittle,price", "did you mean title?"), ("sku,artist", "missing: title, price"),
            ("sku,artist,title,price,price", "there twice"),
        ] {
            let outcome = await till.type("import", try till.file("A,B,C,1,EUR", header: header))
            XCTAssertEqual(outcome.exitCode, .badData, header)
            XCTAssertTrue(outcome.messages.contains(complaint), outcome.messages)
        }
    }

    func testAwkwardSKUsComeBackAsTheyWere() async throws {
        let till = try Till()
        let skus = ["batch-7", "a/b c", "Ü 1", "..", "x--y", "%2F", "_u", "日本"]
        let rows = skus.map { "\"\($0)\",Artist,\($0),1,EUR" }.joined(separator: "\n")
        let outcome = await till.type("import", try till.file(rows))
        XCTAssertEqual(outcome.results, "\(skus.count) created, 0 updated, 0 unchanged, 0 rejected\n")
        for sku in skus {
            let shown = await till.type("show", "--", sku)
            XCTAssertEqual(shown.rows.first?[2], sku)
        }
    }
}
