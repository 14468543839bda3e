import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// The till's day: its float, what it took, and its closes.
final class TillClosingTests: TimedTestCase {
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--quantity", "9") }
        return till
    }

    private func stock(over transport: any NetworkTransport, till: String = "one") -> Stock {
        var stock = Stock(over: transport)
        stock.source.till = till
        return stock
    }

    /// Two closers race for a number, and the one that loses looks again.
    func testTheNumbersHaveNoGaps() async throws {
        let till = try await till("A")
        _ = await till.type("sell", "A", "--till", "one", "--id", "S1")
        let racing = CannedTransport(over: till.transport, before: #""token":""#) {
            _ = await till.type("till", "close", "--z", "--till", "one")
            _ = await till.type("sell", "A", "--till", "one", "--id", "S2")
        }
        await till.type(["till", "close", "--z", "--till", "one"], over: racing).expect(.done)
        assertEqual(try await stock(over: till.transport).closings().map(\.commands), [["S1"], ["S2"]])

        // Cash that was counted before another closed the till belongs to no other close.
        _ = await till.type("sell", "A", "--till", "one", "--id", "S3", "--payment", "cash")
        let counting = CannedTransport(over: till.transport, before: #""token":""#) {
            _ = await till.type("till", "close", "--z", "--till", "one")
        }
        let counted = await till.type(["till", "close", "--z", "--till", "one", "--counted", "10"], over: counting)
        XCTAssertTrue(counted.messages.contains("another closed the till one meanwhile, as Z 3"), counted.messages)
    }

    func testALostResponseClosesOnce() async throws {
        let till = try await till("A")
        _ = await till.type("sell", "A", "--till", "one", "--id", "S1")
        let store = till.transport
        let left = Kept(["first"])
        // Makes the first close, and loses the response.
        let losing = CannedTransport { call throws(NetworkError) in
            let response = try await store.exchange(call)
            let isClose = call.method == .put && call.url.path().contains("/closings/records/")
            if isClose, response.statusCode == 201, left.change({ $0.popLast() }) != nil { throw .lost }
            return response
        }
        let outcome = await till.type(["till", "close", "--z", "--till", "one"], over: losing).expect(.done)
        XCTAssertTrue(outcome.messages.hasSuffix("Closed the till one as Z 1.\n"), outcome.messages)
        assertEqual(try await stock(over: till.transport).closings().map(\.commands), [["S1"]])
    }

    func testMoreCommandsThanOneCloseTakes() async throws {
        let till = try await till("A")
        for number in 1...3 { _ = await till.type("sell", "A", "--till", "one", "--id", "S\(number)") }
        let stock = stock(over: till.transport)
        var open = try await stock.openClosing(limit: 10) { _ in }
        XCTAssertEqual(open.left, 1)
        let isStored = try await stock.store(open.closing)
        XCTAssertTrue(isStored)
        open = try await stock.openClosing(limit: 10) { _ in }
        XCTAssertEqual([open.left, open.closing.commands.count], [0, 1])
    }

    /// A close that another program removed must not lead to one that counts the same again.
    func testAMissingCloseIsReported() async throws {
        let till = try await till("A")
        for number in 1...2 {
            _ = await till.type("sell", "A", "--till", "Kasse 1", "--id", "S\(number)")
            await till.type("till", "close", "--z", "--till", "Kasse 1").expect(.done)
        }
        try await till.send(.delete, "closings/x--Kasse_201-1")
        // A command that doesn't notice tries the number of an existing close again and again.
        do {
            let closings = try await stock(over: till.transport, till: "Kasse 1").closings()
            return XCTFail("not missed: \(closings.map(\.number))")
        } catch let missing as MissingClosing {
            XCTAssertEqual(missing.number, 1)
        }
        let closed = await till.type("till", "close", "--z", "--till", "Kasse 1")
        XCTAssertTrue(closed.messages.contains("the close Z 1 of the till Kasse 1 is missing"), closed.messages)
    }
}
