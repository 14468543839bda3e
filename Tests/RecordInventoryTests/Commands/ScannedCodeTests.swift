import TestSupport
import XCTest

@testable import RecordInventory

/// Barcodes in place of SKUs.
final class ScannedCodeTests: TimedTestCase {
    func testWhatScannersAddToACodeIsLeftOut() async throws {
        let code = "4006381333931"
        for text in [
            "]E0\(code)", "]E3\(code)52", " ]C0\(code) ", "\(code)52", "\(code)52495", "\(code) 52495",
            "'àà-\"_&\"\"\"ç\"&", "010\(code)", "(01)0\(code)(10)7",
        ] { XCTAssertEqual(ScannedCode.reading(of: text), code, text) }
        XCTAssertEqual(ScannedCode.reading(of: "07464649352605"), "074646493526", "UPC-A with an add-on")
        for text in [
            code, "LP-1", "0\(code)", "]E", "]E0", "\(code)5", "400638133393252", "'à'", "-_-_-_-_", "2024-013", "a b",
            "", "123",
        ] { XCTAssertEqual(ScannedCode.reading(of: text), text) }
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", code, "--quantity", "9")
        let sold = await till.scan(
            ["till", "--no-input"], "]E0\(code)\t\(code)52\r'àà-\"_&\"\"\"ç\"&\rlp-1\r\(code)\tcash\r")
        sold.expect(.partlyDone, "no record lp-1; a SKU has capital or small letters: did you mean LP-1?")
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["5"])
        let typed = await till.type("show", "\(code)52")
        XCTAssertTrue(typed.messages.contains("a scanner may have made it of \(code)"), typed.messages)
    }

    /// Of a UPC-E, a scanner may leave out the first digit and the check digit. A SKU goes before it.
    func testSixDigitsMayBeABarcode() async throws {
        let till = try Till()
        _ = await till.add("LP-1", "--barcode", "042100005264", "--quantity", "2")
        await till.scan(["till", "--no-input"], "425261\n04252614\ncash\n").expect(.done)
        _ = await till.add("425261", "--quantity", "2")
        _ = await till.scan(["till", "--no-input"], "425261\ncash\n")
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["1", "0"])
        await till.scan(["till", "--no-input"], "425262\n").expect(.partlyDone, "there is no record 425262")
    }

    func testATooLongLineSellsNothing() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let long = String(repeating: "x", count: 4_096)
        let refused = await till.scan(["till"], "LP-1\n\(long)xcash\n")
        XCTAssertTrue(refused.messages.contains("a line of more than 4096 bytes was left out"), refused.messages)
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["1"], "the tail of the line is no word")
    }
}
