import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// Sums that the embedded store makes are those that are read movement by movement.
final class MovementSumTests: TimedTestCase {
    private func sums(
        _ transport: any NetworkTransport, _ days: ClosedRange<CalendarDay> = CalendarDay.all,
        _ skus: MovementSums.SKUs? = nil, _ field: MovementSums.Field? = nil
    ) async throws -> (sums: MovementSums, unreadable: Int) {
        var unreadable = 0
        let sums = try await Stock(over: transport).sums(of: days, skus, field) { _ in unreadable += 1 }
        return (sums, unreadable)
    }

    private func compare(_ till: Till, unreadable: Int = 0, line: UInt = #line) async throws -> Int {
        let store = till.transport
        let without = CannedTransport { call throws(NetworkError) in
            guard call.url.path.hasSuffix("/sums") else { return try await store.exchange(call) }
            return NetworkResponse(
                statusCode: 404, headers: ["Content-Type": "application/json"],
                body: Data(#"{"code":404,"errno":111,"error":"Not Found"}"#.utf8), url: call.url)
        }
        var count = 0
        for (skus, field) in [
            (nil, nil), (.all, nil), (.all, .genre), (.unnoted, .consignor),
        ] as [(MovementSums.SKUs?, MovementSums.Field?)] {
            for days in [CalendarDay.all, try CalendarDay("2026-01-02")...CalendarDay("2026-01-02")] {
                let made = try await sums(store, days, skus, field)
                let read = try await sums(without, days, skus, field)
                XCTAssertEqual(made.sums, read.sums, line: line)
                if days == CalendarDay.all { XCTAssertEqual(made.unreadable, unreadable, line: line) }
                count += made.sums.sums.count
            }
        }
        return count
    }

    func testTheStoreAddsUpWhatTheMovementsSay() async throws {
        var till = try Till()
        till.day = try CalendarDay("2026-01-01")
        _ = await till.add("A", "--quantity", "50", "--price", "10.00", "--cost", "4.00")
        _ = await till.add("B", "--quantity", "50", "--price", "7.35")
        _ = await till.add("C", "--quantity", "50", "--price", "1000", "--currency", "JPY")
        for (day, command) in [
            ("2026-01-01", ["sell", "A", "B", "--payment", "cash"]), ("2026-01-02", ["sell", "A", "C", "--id", "S"]),
            ("2026-01-02", ["sell", "B", "-n", "3", "--payment", "card", "--discount", "10%"]),
            ("2026-01-03", ["return", "A", "--sale", "S"]), ("2026-01-03", ["trade-in", "B", "--price", "2"]),
            ("2026-01-02", ["sell", "B", "A", "--payment", "cash:2", "--payment", "card"]),
            ("2026-01-03", ["write-off", "B"]), ("2026-01-03", ["sell", "B", "--discount", "10%", "--id", "D"]),
            ("2026-01-03", ["return", "B", "--sale", "D"]),
        ] {
            till.day = try CalendarDay(day)
            await till.type(command).expect(.done)
        }
        let count = try await compare(till)
        XCTAssertGreaterThan(count, 10)

        let noon: Int64 = 20_455 * 86_400_000
        // Without a record.
        try await till.send(
            .put, "movements/X0",
            [
                "kind": "voucher", "quantity": -1, "till": "T", "time": ["at": .integer(noon)], "payment": "cash",
                "price": ["amount": 2_000, "currency": "EUR"],
            ])
        _ = try await compare(till)
        // Without a price, and at a till whose day has ended.
        try await till.send(
            .put, "movements/X1",
            ["sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": .integer(noon)]])
        try await till.send(
            .put, "movements/X2",
            [
                "sku": "A", "kind": "sale", "quantity": -1, "till": "T",
                "time": ["at": .integer(noon - 1), "offset": 3_600],
            ])
        _ = try await compare(till)
        // A currency in small letters is read, but not by SQL.
        try await till.send(
            .put, "movements/X3",
            [
                "sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": .integer(noon)],
                "price": ["amount": 5, "currency": "eur"],
            ])
        _ = try await compare(till)
        for (index, wrong) in [
            ["sku": "A", "kind": "sale", "quantity": true, "till": "T", "time": ["at": .integer(noon)]],
            ["sku": "A", "kind": "sale", "quantity": "2", "till": "T", "time": ["at": .integer(noon)]],
            ["sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": .integer(noon)], "price": 5],
            ["sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": .integer(noon)], "discount": "1"],
            ["kind": "trade_in", "quantity": 1, "till": "T", "time": ["at": .integer(noon)]],
        ].enumerated() as EnumeratedSequence<[JSONValue]> {
            try await till.send(.put, "movements/W\(index)", wrong)
            _ = try await compare(till, unreadable: index + 1)
        }
    }

    func testAnAmountThatIsTooLargeIsNamedAndTheRestIsSummed() async throws {
        let till = try Till()
        _ = await till.add("A")
        for id in ["X1", "X2"] {
            try await till.send(
                .put, "movements/\(id)",
                [
                    "sku": "A", "kind": "sale", "quantity": -1, "till": "T", "time": ["at": 1_000],
                    "price": ["amount": .integer(.max - 1), "currency": "EUR"],
                ])
        }
        _ = try await compare(till, unreadable: 2)
    }

    func testTheLatestMovementsAreThoseOfAWholeHistory() async throws {
        var till = try Till()
        for (day, sku) in [("2026-01-03", "A"), ("2026-01-01", "B"), ("2026-01-05", "C")] {
            till.day = try CalendarDay(day)
            _ = await till.add(sku, "--quantity", "9")
        }
        for (day, sku) in [("2026-01-04", "A"), ("2026-01-05", "B"), ("2026-01-05", "A"), ("2026-01-06", "C")] {
            till.day = try CalendarDay(day)
            _ = await till.type("sell", sku)
        }
        let all = await till.type("history").rows
        XCTAssertEqual(all.count, 7)
        for limit in 1...8 {
            assertEqual(await till.type("history", "--limit", "\(limit)").rows, Array(all.suffix(limit)))
            let days = await till.type("history", "--to", "2026-01-05", "--limit", "\(limit)").rows
            XCTAssertEqual(days, Array(all.dropLast().suffix(limit)))
        }
    }
}
