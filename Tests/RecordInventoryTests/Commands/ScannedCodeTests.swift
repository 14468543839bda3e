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

    func testWhatScannersAddToACodeIsLeftOut() async throws {
        let code = "4006381333931"
        for text in [
            "]E0\(code)", "]E3\(code)52", " ]C0\(code) ", "\(code)52", "\(code)52495", "\(code) 52495",
            "'àà-\"_&\"\"\"ç\"&",
        ] { XCTAssertEqual(ScannedCode.reading(of: text), code, text) }
        XCTAssertEqual(ScannedCode.reading(of: "07464649352605"), "074646493526", "UPC-A with an add-on")
        for text in [
            code, "LP-1", "0\(code)", "]E", "]E0", "\(code)5", "400638133393252", "'à'", "-_-_-_-_", "a b", "", "123",
        ] { XCTAssertEqual(ScannedCode.reading(of: text), text) }
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", code, "--quantity", "9")
        let sold = await till.scan(
            ["till", "--no-input"], "]E0\(code)\t\(code)52\r'àà-\"_&\"\"\"ç\"&\rlp-1\r\(code)\tcash\r")
        XCTAssertEqual(sold.exitCode, .partlyDone, sold.messages)
        XCTAssertTrue(
            sold.messages.contains(
                "no record lp-1; a SKU has capital or small letters: did you mean LP-1?"), sold.messages)
        let left = await till.type("list", "--fields", "quantity").skus
        XCTAssertEqual(left, ["5"])
        let typed = await till.type("show", "\(code)52")
        XCTAssertTrue(typed.messages.contains("a scanner may have made it of \(code)"), typed.messages)
    }

    func testATooLongLineSellsNothing() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let long = String(repeating: "x", count: 4_096)
        let refused = await till.scan(["till"], "LP-1\n\(long)xcash\n")
        XCTAssertTrue(refused.messages.contains("a line of more than 4096 bytes was left out"), refused.messages)
        let left = await till.type("list", "--fields", "quantity").skus
        XCTAssertEqual(left, ["1"], "the tail of the line is no word")
    }

    func testASKUComesBeforeABarcode() async throws {
        let till = try Till()
        _ = await till.add("4006381333931", "--title", "Other")
        _ = await till.add("LP-1", "--barcode", "4006381333931")
        let shown = await till.type("show", "4006381333931")
        XCTAssertEqual(shown.skus, ["4006381333931"])
    }
}
