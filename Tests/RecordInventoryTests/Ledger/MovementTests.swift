import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class MovementTests: TimedTestCase {
    func testDaysAndTimesAgreeWithFoundation() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -140_000, through: 200_000, by: 373) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let text = String(formatter.string(from: date).prefix(10))
            XCTAssertEqual(CalendarDay(number: day).description, text)
            if day > -719_000 { XCTAssertEqual(try CalendarDay(text).number, day) }
        }
        for (milliseconds, offset, text) in [
            (0, 0, "1970-01-01T00:00:00.000Z"), (1_795_451_112_042, 3_600, "2026-11-23T17:25:12.042+01:00"),
            (-1, -12_600, "1969-12-31T20:29:59.999-03:30"),
        ] as [(Int64, Int, String)] {
            XCTAssertEqual(MovementTime(milliseconds: milliseconds, offset: offset).text, text)
        }
        XCTAssertEqual(MovementTime(milliseconds: 82_800_000, offset: 3_600).day, CalendarDay(number: 1))
        for text in ["2026-13-01", "2026-02-29", "2026-1-1", "x", "", "2026-01-00"] {
            XCTAssertThrowsError(try CalendarDay(text), text)
        }
    }

    func testAMovementIsReadAsItWasWritten() throws {
        let movement = Movement(
            id: "c-1", sku: try SKU("LP 1"), kind: .tradeIn, quantity: 2,
            price: Money(amount: 500, currency: try Currency("EUR")), discount: 3, payment: "cash", cost: 4,
            time: MovementTime(milliseconds: 1_795_451_112_042, offset: -3_600), till: "t", person: "p", reason: "r",
            undoes: "u", command: "c")
        let id = JSONObject.Member(name: "id", value: "c-1")
        let json = try JSONView(stored: movement.json.adding([id]).bytes())
        XCTAssertEqual(try Movement(json), movement)
        XCTAssertEqual(movement.paid?.amount, -997, "what is paid for a trade-in goes out")
    }

    func testADiscountIsDividedToTheLastCent() throws {
        let euro = try Currency("EUR")
        let amounts = [999, 1, 0, 1_000].map { Money(amount: $0, currency: euro) }
        for text in ["0.01", "3.33", "20.00", "19.99"] {
            let parts = try Discount(text).parts(of: amounts)
            XCTAssertEqual(parts.reduce(0, +), try Money(text, in: euro).amount, text)
            XCTAssertTrue(zip(parts, amounts).allSatisfy { $0 <= $1.amount }, text)
        }
        XCTAssertEqual(try Discount("12.5 %").parts(of: amounts), [125, 0, 0, 125])
        for text in ["20.01", "100.01%", "-1", "", "x%"] {
            XCTAssertThrowsError(try Discount(text).parts(of: amounts), text)
        }
    }

    func testADiscountOfTheWholeSaleIsRoundedOnce() throws {
        let euro = try Currency("EUR")
        let three = Array(repeating: Money(amount: 995, currency: euro), count: 3)
        XCTAssertEqual(try Discount("15%").parts(of: three), [150, 149, 149], "29.85 less 15 % is 25.37")
        let amounts = [1, 1, 1, 0].map { Money(amount: $0, currency: euro) }
        XCTAssertEqual(try Discount("50%").parts(of: amounts), [1, 1, 0, 0], "a half is rounded up")
        let two = [Money(amount: 995, currency: euro), Money(amount: 333, currency: try Currency("JPY"))]
        XCTAssertEqual(try Discount("10%").parts(of: two), [100, 33], "each currency by itself")
        let largest = Array(repeating: Money(amount: .max / 2, currency: euro), count: 2)
        XCTAssertEqual(try Discount("100%").parts(of: largest), [.max / 2, .max / 2])
    }
}
