import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// The quantity and the status agree, whichever was changed.
final class SoldStatusTests: TimedTestCase {
    func testTheLastCopyIsSoldAndTheNextIsForSaleAgain() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "2")
        _ = await till.add("LP-2", "--status", "draft")
        for (command, sku, status) in [
            ("sell", "LP-1", "for_sale"), ("sell", "LP-1", "sold"), ("restock", "LP-1", "for_sale"),
            ("sell", "LP-2", "draft"), ("restock", "LP-2", "draft"),
        ] {
            let outcome = await till.type([command, sku] + (sku == "LP-2" && command == "sell" ? ["--force"] : []))
            XCTAssertEqual(outcome.rows.first?[14], status, "\(command) \(sku)")
        }
    }

    func testAnEditedQuantityBringsItsStatusUnlessOneIsGiven() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--quantity", "2")
        _ = await till.add("LP-2", "--status", "draft")
        for (sku, fields, status) in [
            ("LP-1", ["--quantity", "0"], "sold"), ("LP-1", ["--quantity", "5"], "for_sale"),
            ("LP-1", ["--quantity", "0", "--status", "for_sale"], "for_sale"),
            ("LP-1", ["--quantity", "0", "--status", "sold"], "sold"), ("LP-1", ["--quantity", "0"], "sold"),
            ("LP-1", ["--notes", "n"], "sold"), ("LP-1", ["--quantity", "3"], "for_sale"),
            ("LP-2", ["--quantity", "0"], "draft"), ("LP-2", ["--quantity", "9"], "draft"),
        ] {
            let outcome = await till.type(["edit", sku] + fields)
            XCTAssertEqual(outcome.rows.first?[14], status, "\(sku) \(fields): \(outcome.messages)")
        }
    }

    func testARecordMarkedAsSoldHasNoCopies() async throws {
        let till = try Till()
        for (sku, arguments) in [
            ("LP-1", ["add", "--quantity", "2"]), ("LP-1", ["edit", "LP-1", "--status", "sold"]),
            ("LP-2", ["add", "--status", "sold"]), ("LP-3", ["add", "--status", "sold", "--quantity", "0"]),
        ] {
            let new = ["--sku", sku, "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR"]
            let outcome = await till.type(arguments + (arguments[0] == "add" ? new : []))
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { Array($0[13...14]) }, Array(repeating: ["0", "sold"], count: 3))
        let sold = await till.type("sell", "LP-1")
        XCTAssertEqual(sold.exitCode, .conflict)
        XCTAssertTrue(sold.messages.contains("0 in stock, 1 wanted"), sold.messages)
    }

    /// Another program may have stored this status.
    func testASoldRecordStaysSoldWhenACopyGoes() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        try await till.patch("LP-1", ["quantity": 3, "status": "sold"])
        for (command, status) in [("sell", "sold"), ("restock", "for_sale")] {
            let outcome = await till.type(command, "LP-1")
            XCTAssertEqual(outcome.rows.first?[14], status, "\(command): \(outcome.messages)")
        }
    }

    func testAFileWithoutQuantitiesBringsNoCopiesBack() async throws {
        let till = try Till()
        let discogs = try till.file("7,A,T,1,For Sale", header: "listing_id,artist,title,price,status")
        let own = try till.folder.write(
            "sku,artist,title,price,status,quantity\nD,A,T,1,for_sale,\ndiscogs-7,A,T,1,for_sale,\n".utf8, to: "own.csv"
        )
        _ = await till.type("import", discogs, "--currency", "EUR")
        _ = await till.type("sell", "discogs-7")
        _ = await till.add("D", "--artist", "A", "--title", "T", "--price", "1", "--quantity", "0", "--status", "draft")
        for file in [discogs, own] {
            for options in [["update", "--dry-run"], ["update"], ["skip"]] {
                let outcome = await till.type(["import", file, "--currency", "EUR", "--on-duplicate"] + options)
                XCTAssertTrue(outcome.results.contains(" 0 updated, \(file == own ? 2 : 1) unchanged"), outcome.results)
                XCTAssertEqual(outcome.messages, "", "\(file) \(options)")
            }
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { Array($0[13...14]) }, [["0", "draft"], ["0", "sold"]])
        let file = try till.file("7,A,T,1,For Sale,1", header: "listing_id,artist,title,price,status,quantity")
        _ = await till.type("import", file, "--currency", "EUR", "--on-duplicate", "update", "--set-quantity")
        let relisted = await till.type("show", "discogs-7")
        XCTAssertEqual(relisted.rows.first?[13...14], ["1", "for_sale"])
    }

    func testARowThatIsSoldTakesTheCopies() async throws {
        let till = try Till()
        for sku in ["LP-1", "LP-2"] { _ = await till.add(sku, "--quantity", "2") }
        let header = "sku,artist,title,price,currency,status"
        for (header, row, said) in [
            (header, "LP-1,A,T,1,EUR,sold", ""),
            (header + ",quantity", "LP-2,A,T,1,EUR,sold,2", "row 2: quantity 2 became 0: the status is \"sold\"\n"),
        ] {
            let file = try till.file(row, header: header)
            let outcome = await till.type("import", file, "--on-duplicate", "update", "--set-quantity")
            XCTAssertEqual(outcome.messages, said)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { Array($0[13...14]) }, Array(repeating: ["0", "sold"], count: 2))
    }
}
