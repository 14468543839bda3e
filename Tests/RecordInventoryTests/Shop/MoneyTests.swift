import TestSupport
import XCTest

@testable import RecordInventory

final class MoneyTests: TimedTestCase {
    private func money(_ text: String, _ code: String, _ rounding: Money.Rounding = .refused) throws -> Money {
        try Money(text, in: Currency(code), rounding: rounding)
    }

    private func reason(_ text: String, _ code: String) throws -> String {
        let currency = try Currency(code)
        do {
            let money = try Money(text, in: currency)
            XCTFail("\(text) was read as \(money)")
            return ""
        } catch {
            return error.reason
        }
    }

    func testReadsAndWritesTheDecimalsOfTheCurrency() throws {
        for (text, code, amount, written) in [
            ("18.50", "EUR", 1850, "18.50"), ("18.5", "EUR", 1850, "18.50"), (" 18 ", "eur", 1800, "18.00"),
            ("0", "USD", 0, "0.00"), ("0.05", "USD", 5, "0.05"), ("007", "GBP", 700, "7.00"),
            ("1500", "JPY", 1500, "1500"), ("1.234", "KWD", 1234, "1.234"), ("0.0001", "CLF", 1, "0.0001"),
            ("92233720368547758.07", "EUR", Int64.max, "92233720368547758.07"),
        ] {
            let money = try money(text, code)
            XCTAssertEqual(money.amount, amount, text)
            XCTAssertEqual(money.decimalText, written, text)
        }
    }

    func testRoundsHalfToEvenWhenAsked() throws {
        for (text, amount) in [
            ("14.319139100000001", 1432), ("10.005", 1000), ("10.015", 1002), ("10.0050", 1000), ("10.00500001", 1001),
            ("10.004999", 1000), ("0.995", 100), ("9.999999999999999999999999999999", 1000), ("4.0", 400),
        ] { XCTAssertEqual(try money(text, "EUR", .halfEven).amount, Int64(amount), text) }
        XCTAssertEqual(try money("1500.5", "JPY", .halfEven).amount, 1500)
        XCTAssertEqual(try money("1501.5", "JPY", .halfEven).amount, 1502)
    }

    func testRefusesWhatIsNoPriceAndNeverTraps() throws {
        XCTAssertEqual(try reason("-1", "EUR"), "a price is never negative")
        XCTAssertEqual(try reason("", "EUR"), "missing")
        XCTAssertTrue(try reason("1,850.00", "EUR").contains("decimal point"))
        for text in [".", "1.", ".5", "1.2.3", "1e3", "€5", "+5", "0x10", "1 000", "١٢", "NaN"] {
            XCTAssertTrue(try reason(text, "EUR").contains("not a price"), text)
        }
        XCTAssertEqual(try reason("92233720368547758.08", "EUR"), "too large an amount")
        XCTAssertEqual(try reason(String(repeating: "9", count: 500), "JPY"), "too large an amount")
        XCTAssertThrowsError(try money("92233720368547758.079", "EUR", .halfEven))
    }

    func testKnowsTheCurrenciesOfTheWorld() throws {
        let unusual = [
            0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 3: "BHD IQD JOD KWD LYD OMR TND",
            4: "CLF UYW",
        ]
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }
        let codes = letters.flatMap { first in letters.flatMap { second in letters.map { first + second + $0 } } }
        let known = codes.compactMap { try? Currency($0) }
        for (exponent, codes) in unusual {
            let found = known.filter { $0.exponent == exponent }.map(\.code)
            XCTAssertEqual(found.joined(separator: " "), codes, "with \(exponent) decimals")
        }
        let usual = Set(known.filter { $0.exponent == 2 }.map(\.code))
        XCTAssertTrue(usual.isSuperset(of: ["EUR", "USD", "GBP", "CHF", "ZWG"]))
        XCTAssertEqual(Set(known.map(\.exponent)), [0, 2, 3, 4])
        for text in ["", "EURO", "XXX", "XAU", "DEM", "€", "EU R"] {
            XCTAssertThrowsError(try Currency(text), text)
        }
    }
}

/// Amounts that are typed, where a scanner may type a barcode.
final class TypedMoneyTests: TimedTestCase {
    func testBarcodesAreNoAmounts() throws {
        let rows: [(String, String, Bool)] = [
            ("4006381333931", "EUR", false), ("4006381333931", "JPY", false), (" 4006381333931 ", "VND", false),
            ("036000291452", "KRW", false), ("9780306406157", "IDR", false), ("4006381333931", "KWD", false),
            ("1000000", "EUR", true), ("1000000.00", "EUR", true), ("1000000.01", "EUR", false),
            ("1000001", "USD", false), ("1000000", "KWD", true), ("1000000.001", "KWD", false),
            ("1000000000", "JPY", true), ("1000000001", "JPY", false), ("25000000", "IDR", true),
            ("1000000000.00", "IDR", true), ("1000000000.01", "IDR", false), ("1000000000", "LAK", true),
            ("40170725", "EUR", false), ("18.50", "EUR", true), ("9223372036854775807", "JPY", false),
        ]
        for (text, code, isAmount) in rows {
            do throws(InvalidValue) {
                _ = try Money(typed: text, in: try Currency(code))
                XCTAssertTrue(isAmount, "\(text) \(code)")
            } catch {
                XCTAssertFalse(isAmount, "\(text) \(code): \(error)")
                XCTAssertTrue(error.reason.contains("looks like a barcode"), error.reason)
            }
        }
        // What is stored, or stands in a file, may be larger.
        XCTAssertEqual(try Money("4006381333931", in: Currency("EUR")).amount, 400_638_133_393_100)
    }
}
