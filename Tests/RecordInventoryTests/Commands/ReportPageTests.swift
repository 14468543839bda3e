import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// The report as a page of HTML.
final class ReportPageTests: TimedTestCase {
    /// Writes a page and returns it.
    private func page(_ till: Till, _ options: String...) async throws -> String {
        let path = till.folder.path("page.html")
        assertEqual(await till.type(["report", "--html", path, "--replace"] + options).expect(.done).results, "")
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func assert(_ page: String, has parts: [String], line: UInt = #line) {
        for part in parts { XCTAssertTrue(page.contains(part), "\(part): \(page)", line: line) }
    }

    func testADayEndsAtTheHourOfTheShop() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-11-05")
        _ = await till.add("A", "--quantity", "9", "--price", "10.02", "--genre", "Jazz")
        _ = await till.type("payments", "--day-end", "4", "--smallest-coin", "0.05")
        _ = await till.type("sell", "A", "--payment", "cash")
        let page = try await page(till)
        assert(
            page,
            has: ["to 2026-11-04</p>", "<li><span>2026-11-04</span> 10.00</li>", "<dt>rounding</dt><dd>-0.02</dd>"])
        // Another program notes no genre with its sale.
        let noon = Int64(try CalendarDay("2026-11-05").number) * 86_400_000 + 43_200_000
        try await till.send(
            .put, "movements/F",
            [
                "sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": .integer(noon)],
                "price": ["amount": 1002, "currency": "EUR"],
            ])
        till.day = try CalendarDay("2026-11-07")
        assert(
            try await self.page(till, "--dead-stock", "1"),
            has: [
                "A, last moved 2026-11-05", "<rect width=\"100.0\" height=\"1\"/></svg></th><td>2</td><td>20.02</td>",
            ])
    }

    func testThePageShowsDaysPaymentsGenresAndDeadStock() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-01-01")
        _ = await till.add("A", "--quantity", "9", "--genre", "Jazz", "--cost", "4.00")
        _ = await till.add("B", "--quantity", "9", "--genre", "Rock", "--price", "7.50")
        _ = await till.add("Y", "--quantity", "9", "--price", "1000", "--currency", "JPY")
        _ = await till.add("Dead", "--quantity", "2", "--price", "3.00")
        for (day, command) in [
            ("2026-10-01", ["sell", "A", "--payment", "cash"]),
            ("2026-11-02", ["sell", "A", "B", "--payment", "cash"]),
            ("2026-11-04", ["sell", "B", "-n", "2", "--payment", "card", "--id", "S"]), ("2026-11-05", ["sell", "Y"]),
            ("2026-11-06", ["return", "B", "--sale", "S"]),
            ("2026-11-06", ["trade-in", "A", "--price", "2", "--payment", "cash", "--id", "T"]),
            // As many copies come in as go out again, for another price.
            ("2026-11-07", ["trade-in", "A", "--price", "3"]), ("2026-11-07", ["undo", "T"]),
        ] {
            till.day = try CalendarDay(day)
            let outcome = await till.type(command)
            // The later trade-in has changed the cost again, which stays.
            let isUndo = command[0] == "undo"
            XCTAssertEqual(outcome.exitCode, isUndo ? .partlyDone : .done, outcome.messages)
        }
        let page = try await page(till, "--from", "2026-11-01", "--to", "2026-11-06")
        assert(
            page,
            has: [
                "<h1>shop</h1><p>2026-11-01 to 2026-11-06</p>", "<dt>takings</dt><dd>25.00<small>3 copies</small></dd>",
                "<dt>sold</dt><dd>4</dd>",
                "<dt>returned</dt><dd>1</dd>", "<dt>trade-ins paid</dt><dd>2.00<small>1 copy</small></dd>",
                "<dt>margin</dt><dd>6.00<small>1 copy</small></dd>", "Takings per day, at most 17.50 EUR",
                // The second of six days, at its whole height above the zero line, and the last one below that.
                #"<rect x="11" y="0.0" width="8" height="70.0"><title>2026-11-02: 17.50</title></rect>"#,
                #"<rect x="51" y="70.0" width="8" height="30.0"><title>2026-11-06: -7.50</title></rect>"#,
                "<li><span>2026-11-04</span> 15.00</li>", "<h2>JPY</h2>", "Takings per day, at most 1000 JPY",
                "<h2>Not moved for 180 days: 1</h2>", "Artist: Title<small>Dead, last moved 2026-01-01</small>",
                "<td>2</td><td>3.00 EUR</td>",
            ])
        XCTAssertEqual(page.components(separatedBy: "<rect x=").count - 1, 4, "a bar for each day with takings")
        for (name, copies, amount) in [
            ("cash", "2", "17.50"), ("card", "1", "7.50"), ("Jazz", "1", "10.00"), ("Rock", "2", "15.00"),
        ] {
            let row = try XCTUnwrap(page.components(separatedBy: "<tr>").first { $0.contains(">\(name)<svg") }, name)
            XCTAssertTrue(row.contains("<td>\(copies)</td><td>\(amount)</td>"), row)
        }
        let all = try await self.page(till, "--to", "2026-11-06", "--dead-stock", "9999")
        assert(all, has: ["2026-10-01 to 2026-11-06", "2026-10-01: 10.00", "Not moved for 9999 days: 0"])
        let year = try await self.page(till, "--from", "2026-01-01", "--to", "2026-12-31")
        assert(year, has: ["Takings per month", #"<rect x="101""#, "2026-11: 25.00", "2026-10: 10.00"])
        let trade = try await self.page(till, "--day", "2026-11-07")
        assert(trade, has: ["<dt>trade-ins paid</dt><dd>1.00<small>0 copies</small></dd>"])
        till.day = try CalendarDay("2026-11-20")
        let latest = try await self.page(till)
        assert(latest, has: ["2026-10-22 to 2026-11-20"])
        till.day = try CalendarDay("2027-11-20")
        let none = try await self.page(till)
        assert(none, has: ["Nothing was sold."])
    }

    func testWhatIsInTheStockIsTextAlone() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-01-01")
        let evil = #"<script>alert("1")</script> & 'co' </style>"#
        for sku in ["A", "B<i>"] {
            _ = await till.add(sku, "--artist", evil, "--title", evil, "--genre", "<img src=x>" + evil)
        }
        _ = await till.type("payments", "<u>kind")
        _ = await till.type("sell", "A")
        till.day = try CalendarDay("2026-12-01")
        let page = try await page(till, "--from", "2026-01-01")
        let safe = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39; &lt;/style&gt;"
        assert(page, has: ["\(safe): \(safe)<small>B&lt;i&gt;, last moved", "&lt;img src=x&gt;" + safe])
        for tag in ["<script", "<img", "<u>", "<i>", "url(", "http://", "https://"] {
            XCTAssertFalse(page.contains(tag), tag)
        }
        XCTAssertEqual(page.components(separatedBy: "</style>").count, 2)
    }
}
