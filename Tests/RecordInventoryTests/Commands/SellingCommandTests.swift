import RecordKitJSON
import Foundation
import TestSupport
import XCTest

@testable import RecordInventory

final class SellingCommandTests: TimedTestCase {
    func testSellAndRestock() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "3", "--media-condition", "VG+")
        let sold = await till.type("sell", "LP-1", "-n", "2")
        XCTAssertEqual(sold.rows.first?[13], "1")
        XCTAssertEqual(sold.messages, "Sold 2 of LP-1, Artist: Title, VG+, for 20.00 EUR; 1 left.\n")
        let restocked = await till.type("restock", "LP-1", "--json", "--quiet")
        XCTAssertTrue(restocked.results.contains(#""quantity":2,"#), restocked.results)
        XCTAssertEqual(restocked.messages, "")
    }

    func testNeverBelowZeroNorAboveTheLimit() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "1")
        let before = await till.type("show", "LP-1")
        for (command, reason) in [
            (["sell", "LP-1", "-n", "2"], "there are not enough copies of LP-1: 1 in stock, 2 wanted"),
            (
                ["restock", "LP-1", "-n", "1000000"],
                "LP-1 can have at most 1000000 copies: 1 in stock, 1000000 more wanted"
            ),
        ] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .conflict, "\(command)")
            XCTAssertEqual(outcome.messages, "record-inventory: \(reason)\n")
            XCTAssertEqual(outcome.results, "")
        }
        let after = await till.type("show", "LP-1")
        XCTAssertEqual(after.results, before.results)
        for count in ["0", "-1", "x", "1000001"] {
            let outcome = await till.type("sell", "LP-1", "-n", count)
            XCTAssertEqual(outcome.exitCode, .usage, count)
        }
    }

    func testABarcodeStandsForTheSKU() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        let sold = await till.type("sell", "4 006381-333931")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        XCTAssertEqual(sold.skus, ["LP-1"])
        let unknown = await till.type("sell", "5012394144777")
        XCTAssertEqual(unknown.exitCode, .notFound)
        let misread = await till.type("sell", "4006381333932")
        XCTAssertEqual(misread.exitCode, .notFound)
        XCTAssertTrue(misread.messages.contains("as a barcode it is wrong"), misread.messages)
    }

    /// Another program may have stored another form of the same number, and a currency in lowercase letters.
    func testABarcodeIsFoundHoweverItIsStored() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        try await till.patch(
            "LP-1", ["barcode": "036000291452", "price": ["amount": 1_000, "currency": "eur"], "quantity": 9])
        for barcode in ["036000291452", "0036000291452"] {
            for command in [["sell", barcode], ["list", "--where", "barcode=\(barcode)", "--where", "currency=EUR"]] {
                let outcome = await till.type(command)
                XCTAssertEqual(outcome.skus, ["LP-1"], "\(command): \(outcome.messages)")
            }
        }
    }

    func testADraftIsSoldOnlyByForce() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "4006381333931", "--quantity", "3", "--status", "draft")
        _ = await till.add("LP-2", "--quantity", "3")
        for command in [["sell", "LP-1"], ["sell", "4006381333931"], ["sell", "LP-2", "LP-1"]] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .conflict, "\(command)")
            XCTAssertTrue(
                outcome.messages.contains("LP-1, Artist: Title, is a draft, so nothing was sold"), outcome.messages)
        }
        let shift = await till.scan(["till"], "LP-1\nLP-2\npay\n")
        XCTAssertTrue(shift.messages.contains("is a draft"), shift.messages)
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { $0[13] }, ["3", "2"], "only the till sold, and only what is offered")

        let forced = await till.type("sell", "LP-1", "LP-2", "--force")
        XCTAssertEqual(forced.exitCode, .done, forced.messages)
        let forcedShift = await till.scan(["till", "--force"], "4006381333931\npay\n")
        XCTAssertEqual(forcedShift.exitCode, .done, forcedShift.messages)
        let rest = await till.type("list")
        XCTAssertEqual(rest.rows.map { $0[13] }, ["1", "1"])
    }

    func testOfSeveralWithABarcodeADraftIsNotMeant() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "4006381333931", "--status", "draft")
        _ = await till.add("LP-2", "--barcode", "4006381333931")
        let sold = await till.type("sell", "4006381333931")
        XCTAssertEqual(sold.skus, ["LP-2"], sold.messages)
    }

    func testWhereThereIsNoShopNothingIsSoldAndItSaysSo() async throws {
        let till = try Till()
        try till.makeStore()
        for code in ["LP-1", "4006381333931"] {
            let outcome = await till.type("sell", code)
            XCTAssertEqual(outcome.exitCode, .notFound)
            XCTAssertEqual(
                outcome.messages,
                "record-inventory: there is no record \(code): there is no shop \"shop\" in "
                    + "\(till.folder.path("stock.sqlite")) yet\n")
        }
    }

    func testSeveralCopiesAreListedAndNothingIsSold() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        _ = await till.add("LP-2", "--barcode", "4006381333931")
        let before = await till.type("list")
        let sold = await till.type("sell", "4006381333931")
        XCTAssertEqual(sold.exitCode, .conflict)
        XCTAssertEqual(sold.skus, ["LP-1", "LP-2"])
        XCTAssertTrue(sold.messages.contains("nothing was changed"), sold.messages)
        let after = await till.type("list")
        XCTAssertEqual(after.results, before.results)
    }

    func testOfSeveralCopiesTheOneInStockIsSold() async throws {
        let till = try Till()
        for (sku, quantity) in [("LP-1", "0"), ("LP-2", "2"), ("LP-3", "0")] {
            _ = await till.add(sku, "--barcode", "4006381333931", "--quantity", quantity)
        }
        for (command, exitCode, skus) in [
            (["restock", "4006381333931"], .conflict, ["LP-1", "LP-2", "LP-3"]),
            (["sell", "4006381333931", "-n", "3"], .conflict, []), (["sell", "4006381333931"], .done, ["LP-2"]),
            (["sell", "4006381333931"], .done, ["LP-2"]),
            (["sell", "4006381333931"], .conflict, ["LP-1", "LP-2", "LP-3"]),
        ] as [([String], ExitCode, [String])] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, exitCode, "\(command): \(outcome.messages)")
            XCTAssertEqual(outcome.skus, skus, "\(command)")
        }
    }

    func testASKUThatLooksLikeABarcodeIsOne() async throws {
        let till = try Till()
        _ = await till.add("4006381333931", "--title", "By its SKU")
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        let sold = await till.type("sell", "4006381333931")
        XCTAssertEqual(sold.skus, ["4006381333931"])
    }

    func testAFullDiskDoesNotHideThatItWasDone() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "3")
        let new = ["--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"]
        for (command, said) in [
            (["sell", "LP-1"], "Sold 1 of LP-1, Artist: Title, for 10.00 EUR; 2 left."),
            (["edit", "LP-1", "--notes", "n"], "LP-1 is changed."),
            (["delete", "LP-1", "--yes", "--json"], "Deleted LP-1."), (["add", "--sku", "LP-2"] + new, "Added LP-2."),
            (["add", "--sku", "LP-3", "--json"] + new, "Added LP-3."),
            (["restock", "LP-3"], "Restocked 1 of LP-3; 2 in stock."),
            (["import", try till.file("LP-4,B,C,1,EUR")], "1 created, 0 updated, 0 unchanged, 0 rejected"),
        ] {
            let messages = Transcript()
            let shell = Shell(
                results: .failing(ENOSPC), messages: messages.output(), input: .texts(), environment: [:])
            let place = ["--store", till.folder.path("stock.sqlite"), "--quiet"]
            let exitCode = await shell.run(place + command, run: CommandContext.run)
            XCTAssertEqual(exitCode, .partlyDone, "\(command)")
            XCTAssertTrue(messages.text.contains("the disk is full"), messages.text)
            XCTAssertTrue(messages.text.contains(said), "\(command): \(messages.text)")
        }
        for command in [["list"], ["import", try till.file("LP-5,B,C,1,EUR"), "--dry-run"]] {
            let shell = Shell(
                results: .failing(ENOSPC), messages: Transcript().output(), input: .texts(), environment: [:])
            let exitCode = await shell.run(
                ["--store", till.folder.path("stock.sqlite")] + command, run: CommandContext.run)
            XCTAssertEqual(exitCode, .failed, "\(command) changes nothing")
        }
    }
}
