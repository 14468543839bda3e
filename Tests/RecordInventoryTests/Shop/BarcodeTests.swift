import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class BarcodeTests: TimedTestCase {
    private struct Samples: Decodable {
        struct Valid: Decodable {
            let `in`: String
            let ean13: String
        }
        let valid: [Valid]
        let invalid: [String]
    }

    func testSamples() throws {
        let samples = try JSONDecoder().decode(Samples.self, from: Data(contentsOf: Sample.url("barcodes.json")))
        XCTAssertFalse(samples.valid.isEmpty || samples.invalid.isEmpty)
        for sample in samples.valid { XCTAssertEqual(try Barcode(sample.in).ean13, sample.ean13, sample.in) }
        for text in samples.invalid { XCTAssertThrowsError(try Barcode(text), text) }
    }

    func testShorterAndLongerNumbers() throws {
        XCTAssertEqual(try Barcode("96385074").ean13, "0000096385074")
        XCTAssertEqual(try Barcode("04006381333931").ean13, "4006381333931")
        XCTAssertEqual(try Barcode("3600029145-2").ean13, "0036000291452", "a spreadsheet removed the leading zero")
        XCTAssertThrowsError(try Barcode("٤٠٠٦٣٨١٣٣٣٩٣١"))
    }

    func testEverySpellingIsTheSameBarcode() throws {
        for (text, spellings) in [
            ("4006381333931", ["4006381333931", "04006381333931"]),
            ("036000291452", ["0036000291452", "00036000291452", "036000291452", "36000291452"]),
            ("96385074", ["0000096385074", "00000096385074", "000096385074", "00096385074", "96385074"]),
        ] {
            let barcode = try Barcode(text)
            XCTAssertEqual(barcode.spellings, spellings)
            for spelling in spellings { XCTAssertEqual(try Barcode(spelling), barcode) }
        }
    }

    func testSaysWhatIsWrong() {
        for (text, words) in [
            ("4.00638E+12", "spreadsheet"), ("4006381333932", "would be 1"), ("12345", "5 digits"),
            ("36000291453", "11 digits; a barcode has 8, 12 or 13"),
            ("ABC", "only digits"), ("E", "spreadsheet"), ("14006381333938", "carton"),
        ] {
            do {
                _ = try Barcode(text)
                XCTFail(text)
            } catch {
                XCTAssertTrue(error.reason.contains(words), error.reason)
            }
        }
    }
}
