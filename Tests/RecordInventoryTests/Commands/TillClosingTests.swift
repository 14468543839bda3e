import RecordKitJSON
import Foundation
import RecordKit
import Synchronization
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

    /// The store of a till, over a transport to it.
    private func transport(_ till: Till) -> EmbeddedTransport {
        EmbeddedTransport(EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite")))
    }

    private func stock(over transport: any NetworkTransport, till: String = "one") -> Stock {
        var stock = Stock(over: transport)
        stock.source.till = till
        return stock
    }

    private func close(
        _ stock: Stock, _ options: TillClosing.Options
    ) async -> (failure: String?, messages: String) {
        let (results, messages) = (Transcript(), Transcript())
        let context = CommandContext(
            stock: stock, place: .server("http://127.0.0.1"),
            console: Console(results: results.output(), messages: messages.output(), input: .texts("")))
        do {
            _ = try await context.run(TillCommand(work: .close(options)))
            return (nil, messages.text)
        } catch {
            return ((error as? CommandFailure)?.message ?? "\(error)", messages.text)
        }
    }

    /// Two closers race for a number, and the one that loses looks again.
    func testTheNumbersHaveNoGaps() async throws {
        let till = try await till("A")
        _ = await till.type("sell", "A", "--till", "one", "--id", "S1")
        let racing = OvertakenTransport(transport(till), before: #""token":""#) {
            _ = await till.type("till", "close", "--z", "--till", "one")
            _ = await till.type("sell", "A", "--till", "one", "--id", "S2")
        }
        let outcome = await close(stock(over: racing), TillClosing.Options(isFinal: true))
        XCTAssertNil(outcome.failure)
        let commands = try await stock(over: transport(till)).closings().map(\.commands)
        XCTAssertEqual(commands, [["S1"], ["S2"]])

        // Cash that was counted before another closed the till belongs to no other close.
        _ = await till.type("sell", "A", "--till", "one", "--id", "S3", "--payment", "cash")
        let counting = OvertakenTransport(transport(till), before: #""token":""#) {
            _ = await till.type("till", "close", "--z", "--till", "one")
        }
        let counted = await close(stock(over: counting), TillClosing.Options(isFinal: true, counted: ["10"]))
        XCTAssertTrue(counted.failure?.contains("another closed the till one meanwhile, as Z 3") == true, "\(counted)")
    }

    func testALostResponseClosesOnce() async throws {
        let till = try await till("A")
        _ = await till.type("sell", "A", "--till", "one", "--id", "S1")
        let losing = LostCreation(transport: transport(till))
        let outcome = await close(stock(over: losing), TillClosing.Options(isFinal: true))
        XCTAssertNil(outcome.failure, outcome.messages)
        XCTAssertTrue(outcome.messages.hasSuffix("Closed the till one as Z 1.\n"), outcome.messages)
        let closings = try await stock(over: transport(till)).closings()
        XCTAssertEqual(closings.map(\.commands), [["S1"]])
    }

    func testMoreCommandsThanOneCloseTakes() async throws {
        let till = try await till("A")
        for number in 1...3 { _ = await till.type("sell", "A", "--till", "one", "--id", "S\(number)") }
        let stock = stock(over: transport(till))
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
            let closed = await till.type("till", "close", "--z", "--till", "Kasse 1")
            XCTAssertEqual(closed.exitCode, .done, closed.messages)
        }
        let store = EmbeddedStore(file: till.folder.url.appending(path: "stock.sqlite"))
        let removed = try await store.respond(
            to: StoreRequest(
                method: .delete, path: "/v1/buckets/shop/collections/closings/records/x--Kasse_201-1"))
        XCTAssertEqual(removed.status, 200)
        // A command that doesn't notice tries the number of an existing close again and again.
        do {
            let closings = try await stock(over: transport(till), till: "Kasse 1").closings()
            return XCTFail("not missed: \(closings.map(\.number))")
        } catch let missing as MissingClosing {
            XCTAssertEqual(missing.number, 1)
        }
        let closed = await till.type("till", "close", "--z", "--till", "Kasse 1")
        XCTAssertTrue(closed.messages.contains("the close Z 1 of the till Kasse 1 is missing"), closed.messages)
    }

    /// Makes the first close, and loses the response.
    private final class LostCreation: NetworkTransport {
        let transport: any NetworkTransport
        private let isLost = Mutex(false)

        init(transport: any NetworkTransport) { self.transport = transport }

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            let response = try await transport.exchange(call)
            guard call.method == .put, call.url.path().contains("/closings/records/"), response.statusCode == 201,
                isLost.withLock({ isLost in
                    defer { isLost = true }
                    return !isLost
                })
            else { return response }
            throw .connection(
                NetworkError.ConnectionFailure(
                    kind: .lost, host: "", mayHaveReachedServer: true, cause: URLError(.networkConnectionLost)))
        }
    }
}
