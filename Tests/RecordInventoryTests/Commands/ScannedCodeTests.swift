import TestSupport
import XCTest

@testable import RecordInventory

/// Barcodes in place of SKUs.
final class ScannedCodeTests: TimedTestCase {
    func testABarcodeStandsForASKU() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        _ = await till.add("LP-2", "--barcode", "5016958021825")
        _ = await till.add("LP-3", "--barcode", "5016958021825")
        let shown = await till.type("show", "4006381333931")
        XCTAssertEqual(shown.skus, ["LP-1"])
        let edited = await till.type("edit", "4 006381 333931", "--notes", "n")
        XCTAssertEqual(edited.skus, ["LP-1"], edited.messages)
        for command in ["show", "history", "sell"] {
            let misread = await till.type(command, "4006381333932")
            XCTAssertEqual(misread.exitCode, .notFound)
            XCTAssertTrue(misread.messages.contains("as a barcode it is wrong"), misread.messages)
        }
        let several = await till.type("show", "5016958021825")
        XCTAssertEqual(several.skus, ["LP-2", "LP-3"])
        for arguments in [["edit", "5016958021825", "--notes", "n"], ["delete", "5016958021825", "--yes"]] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.exitCode, .conflict)
            XCTAssertEqual(outcome.skus, ["LP-2", "LP-3"])
            XCTAssertTrue(outcome.messages.contains("name the SKU of one"), outcome.messages)
        }
        let deleted = await till.type("delete", "4006381333931", "--yes")
        XCTAssertEqual(deleted.exitCode, .done, deleted.messages)
        let none = await till.type("show", "4006381333931")
        XCTAssertEqual(none.exitCode, .notFound)
    }

    func testABarcodeStandsForASKUInTheHistory() async throws {
        let till = try Till()
        for sku in ["LP-1", "LP-2"] { _ = await till.add(sku, "--barcode", "4006381333931") }
        _ = await till.type("sell", "LP-2")
        let several = await till.type("history", "4006381333931")
        XCTAssertEqual(several.exitCode, .conflict)
        XCTAssertEqual(several.skus, ["LP-1", "LP-2"])
        _ = await till.type("delete", "LP-1", "--yes")
        let scanned = await till.type("history", "4 006381 333931")
        XCTAssertEqual(scanned.rows.map { [$0[2], $0[3]] }, [["opening", "LP-2"], ["sale", "LP-2"]])
        let deleted = await till.type("history", "LP-1")
        XCTAssertEqual(deleted.rows.map { $0[2] }, ["opening", "deletion"], deleted.messages)
    }

    func testASKUComesBeforeABarcode() async throws {
        let till = try Till()
        _ = await till.add("4006381333931", "--title", "Other")
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        let shown = await till.type("show", "4006381333931")
        XCTAssertEqual(shown.skus, ["4006381333931"])
    }
}
