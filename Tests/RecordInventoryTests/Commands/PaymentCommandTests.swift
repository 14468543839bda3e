import TestSupport
import XCTest

@testable import RecordInventory

/// What customers pay, and what the shop pays.
final class PaymentCommandTests: TimedTestCase {
    func testTheTillShowsTheChange() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9", "--price", "9.95")
        let shift = await till.scan(["till"], "A\nA\nA\ndiscount 15%\npay cash 50\n")
        XCTAssertEqual(shift.exitCode, .done, shift.messages)
        XCTAssertTrue(shift.results.contains("Total                          25.37 EUR\n"), shift.results)
        XCTAssertTrue(shift.results.contains("Given                          50.00 EUR\n"), shift.results)
        XCTAssertTrue(shift.results.contains("Change                         24.63 EUR\n"), shift.results)
        let report = await till.type("report")
        XCTAssertEqual(report.rows.first.map { Array($0.dropFirst()) }, ["takings", "3", "25.37", "EUR"])
        let named = await till.scan(["till", "--payment", "card", "--json"], "A\npay 10\n")
        XCTAssertTrue(named.messages.contains("Change: 0.05 EUR"), named.messages)
        XCTAssertTrue(named.results.contains(#""payment":"card""#), named.results)
    }

    func testNothingIsSoldForLessOrForNothingThatIsKnown() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9")
        _ = await till.add("Y", "--currency", "JPY", "--price", "900")
        for (line, said) in [
            ("pay cash 9.99", "9.99 EUR is less than the total of 10.00 EUR"), ("pay gold", "the payment \"gold\""),
            ("pay cash 10 20", "pay takes a kind and an amount"), ("pay cash ten", "pay \"ten\""),
            ("Y\npay cash 1000", "the basket has several currencies"),
        ] {
            let shift = await till.scan(["till"], "A\n\(line)\n")
            XCTAssertEqual(shift.exitCode, .failed, line)
            XCTAssertTrue(shift.messages.contains(said), "\(line): \(shift.messages)")
        }
        for command in [
            ["sell", "A", "--payment", ""], ["sell", "A", "--payment", "gold"], ["till", "--payment", "gold"],
            ["trade-in", "A", "--price", "1", "--payment", "gold"],
        ] {
            let outcome = await till.type(command)
            XCTAssertEqual(outcome.exitCode, .usage, "\(command): \(outcome.messages)")
            XCTAssertTrue(outcome.messages.contains("use one of cash, card, transfer"), outcome.messages)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { $0[13] }, ["9", "1"])
    }

    func testTheKindsOfPaymentBelongToTheShop() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "3")
        let dry = await till.type("payments", "PayPal", "--dry-run")
        XCTAssertEqual(dry.exitCode, .done, dry.messages)
        for said in ["Added paypal.", "the shop takes paypal already"] {
            let added = await till.type("payments", "PayPal")
            XCTAssertEqual(added.exitCode, .done, added.messages)
            XCTAssertTrue(added.messages.contains(said), added.messages)
        }
        _ = await till.type("payments", "bancontact")
        let list = await till.type("payments")
        XCTAssertEqual(list.skus, ["cash", "card", "transfer", "voucher", "other", "paypal", "bancontact"])
        let wrong = await till.type("payments", "5 euros")
        XCTAssertEqual(wrong.exitCode, .usage)
        let sold = await till.type("sell", "A", "--payment", "paypal", "--id", "S1")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        let back = await till.type("return", "A", "--sale", "S1", "--payment", "Bancontact")
        XCTAssertEqual(back.exitCode, .done, back.messages)
        let shift = await till.scan(["till", "--payment", "paypal"], "A\npay\n")
        XCTAssertEqual(shift.exitCode, .done, shift.messages)
        let history = await till.type("history", "A")
        XCTAssertEqual(history.rows.map { $0[8] }, ["", "paypal", "bancontact", "paypal"])
    }

    func testATradeInSetsTheCost() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        let free = await till.type("trade-in", "A")
        XCTAssertEqual(free.exitCode, .usage)
        XCTAssertTrue(free.messages.contains("trade-in requires --price"), free.messages)
        for (copies, price, cost) in [("3", "4.00", "4.00"), ("1", "8.00", "5.00"), ("3", "5.01", "5.00")] {
            let bought = await till.type(
                "trade-in", "A", "-n", copies, "--price", price, "--id", "T\(copies)\(cost.first!)")
            XCTAssertEqual(bought.rows.first?[20], cost, bought.messages)
        }
        let sold = await till.type("sell", "A", "--json")
        XCTAssertTrue(sold.results.contains(#""cost":500,"#), sold.results)
        let report = await till.type("report", "--json")
        XCTAssertTrue(report.results.contains(#""margin":500,"copies_with_cost":1"#), report.results)
        let undone = await till.type("undo", "T15")
        XCTAssertEqual(undone.rows.first?[20], "4.00", undone.messages)
    }

    /// A fraction of the smallest unit is rounded, and half of it up.
    func testTheAverageCostIsRounded() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "0")
        for (copies, price, cost) in [
            ("1", "4.00", "4.00"), ("1", "4.01", "4.01"), ("1", "4.02", "4.01"), ("3", "4.04", "4.03"),
            ("1", "4.09", "4.04"),
        ] {
            let bought = await till.type("trade-in", "A", "-n", copies, "--price", price)
            XCTAssertEqual(bought.rows.first?[20], cost, "\(copies) for \(price): \(bought.messages)")
        }
    }

    func testAmountsThatAreTooLargeAreErrors() async throws {
        let till = try Till()
        let file = try till.file(
            "A,B,C,92233720368547758.07,EUR,9", header: "sku,artist,title,price,currency,quantity")
        _ = await till.type("import", file)
        let two = await till.type("sell", "A", "A")
        XCTAssertEqual(two.exitCode, .usage, two.messages)
        XCTAssertTrue(two.messages.contains("too large an amount"), two.messages)
        for _ in 0..<2 { _ = await till.type("sell", "A") }
        let report = await till.type("report")
        XCTAssertEqual(report.exitCode, .failed)
        XCTAssertTrue(report.messages.contains("too large to be added up"), report.messages)
        _ = await till.add("B", "--price", "0.01")
        let shift = await till.scan(["till"], "A\nB\ncancel\n")
        XCTAssertTrue(shift.messages.contains("the basket has no total: too large an amount"), shift.messages)
    }
}
