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

    /// What a line of a close has, without its title.
    private func lines(_ outcome: Till.Outcome) -> [String] { outcome.rows.map { $0.joined(separator: " ") } }

    func testACloseCountsWhatTheTillTookSinceTheLast() async throws {
        let till = try await till("A", "B")
        _ = await till.add("J", "--price", "1000", "--currency", "JPY")
        // Sales outside the till count to its name, and those of other tills do not.
        _ = await till.type("sell", "A", "B", "--discount", "10%", "--payment", "card", "--till", "one")
        _ = await till.type("sell", "A", "--till", "two", "--payment", "cash", "--id", "T1")
        _ = await till.type("sell", "J", "--till", "one")
        _ = await till.type("trade-in", "B", "--price", "4", "--payment", "cash", "--till", "one")
        // The money of a return is in the drawer of the till that takes it back.
        _ = await till.type("return", "A", "--sale", "T1", "--till", "one")
        let expected = [
            "sales 18.00 EUR", "returns -10.00 EUR", "trade-ins -4.00 EUR", "payment card 18.00 EUR",
            "payment cash -14.00 EUR", "total 4.00 EUR", "sales 1000 JPY", "payment (not named) 1000 JPY",
            "total 1000 JPY", "float 0.00 EUR", "cash expected -14.00 EUR",
        ]
        let look = await till.type("till", "close", "--till", "one")
        XCTAssertEqual(lines(look), expected.map { "X \($0)" }, look.messages)
        XCTAssertTrue(look.messages.hasSuffix("The till was not closed; --z closes it.\n"), look.messages)
        let closed = await till.type("till", "close", "--z", "--till", "one")
        XCTAssertEqual(lines(closed), expected.map { "Z 1 \($0)" }, closed.messages)
        XCTAssertTrue(closed.messages.hasSuffix("Closed the till one as Z 1.\n"), closed.messages)
        let again = await till.type("till", "close", "--z", "--till", "one")
        XCTAssertEqual(again.messages, "The till one took nothing since its last close.\n")
        let empty = await till.type("till", "close", "--till", "one", "--json")
        XCTAssertTrue(empty.results.contains(#""till":"one""#), empty.results)

        _ = await till.type("undo", "T1", "--till", "one")
        _ = await till.type("sell", "B", "--till", "one", "--payment", "card")
        let second = await till.type("till", "close", "--z", "--till", "one")
        XCTAssertEqual(lines(second), ["Z 2 sales 10.00 EUR", "Z 2 payment card 10.00 EUR", "Z 2 total 10.00 EUR"])
        let first = await till.type("report", "--z", "1", "--till", "one")
        XCTAssertEqual(first.results, closed.results, "a close never changes")
        let json = await till.type("report", "--z", "2", "--till", "one", "--json")
        XCTAssertTrue(json.results.contains(#""till":"one","number":2"#), json.results)
        XCTAssertTrue(json.results.contains(#""payment":"card","sales":1000,"returns":0"#), json.results)
        let missing = await till.type("report", "--z", "1", "--till", "three")
        XCTAssertEqual(missing.exitCode, .notFound)
        let doctor = await till.type("doctor")
        XCTAssertEqual(doctor.exitCode, .done, "closes are no movements: \(doctor.messages)")
    }

    /// Clocks lie: a sale that says it was made before a close is counted by the next one, if that close does not name it.
    func testASaleOfAnEarlierTimeIsCountedByTheNextClose() async throws {
        var till = try await till("A")
        for (day, number) in [("2026-11-24", 1), ("2026-11-23", 2), ("1970-01-02", 3), ("2035-01-01", 4)] {
            till.day = try CalendarDay(day)
            _ = await till.type("sell", "A", "--till", "one", "--id", "S\(number)")
            let closed = await till.type("till", "close", "--z", "--till", "one", "--json")
            XCTAssertTrue(closed.results.contains(#""commands":["S\#(number)"]"#), "\(day): \(closed.results)")
        }
    }

    func testADifferenceOfCashHasAReason() async throws {
        let till = try await till("A")
        let opened = await till.type("till", "open", "--float", "100.00")
        XCTAssertTrue(opened.messages.contains(" with 100.00 EUR.\n"), opened.messages)
        let twice = await till.type("till", "open", "--float", "5")
        XCTAssertEqual(twice.exitCode, .conflict, twice.messages)
        _ = await till.type("till", "open", "--float", "20 USD")
        _ = await till.type("sell", "A", "--payment", "cash")
        for arguments in [
            ["--counted", "109 EUR"], ["--counted", "109.123 EUR"], ["--counted", "110"],
            ["--counted", "109 EUR", "--counted", "110 EUR"],
        ] {
            let refused = await till.type(["till", "close", "--z"] + arguments)
            XCTAssertEqual(refused.exitCode, .usage, refused.messages)
        }
        let dry = await till.type("till", "close", "--z", "--counted", "110 EUR", "--dry-run")
        XCTAssertTrue(dry.messages.hasSuffix("Nothing was written.\n"), dry.messages)
        let closed = await till.type(
            "till", "close", "--z", "--counted", "109 EUR", "--counted", "20 USD", "--reason", "wrong change")
        XCTAssertEqual(
            lines(closed).dropFirst(3),
            [
                "Z 1 float 100.00 EUR", "Z 1 cash expected 110.00 EUR", "Z 1 cash counted 109.00 EUR",
                "Z 1 difference -1.00 EUR", "Z 1 float 20.00 USD", "Z 1 cash expected 20.00 USD",
                "Z 1 cash counted 20.00 USD", "Z 1 reason: wrong change  ",
            ], closed.messages)
        let next = await till.type("till", "open", "--float", "7")
        XCTAssertEqual(next.exitCode, .done, next.messages)
        let look = await till.type("till", "close")
        XCTAssertEqual(lines(look), ["X float 7.00 EUR", "X cash expected 7.00 EUR"], "a float counts once")
    }

    func testAFloatWithoutACurrencyHasTheOneOfTheConfigOrTheOnlyOneOfTheStock() async throws {
        let till = try await till("B")
        _ = await till.add("A", "--price", "1000", "--currency", "JPY")
        let unclear = await till.type("till", "open", "--float", "100")
        XCTAssertEqual(unclear.exitCode, .usage, unclear.messages)
        XCTAssertTrue(unclear.messages.contains("requires its currency, such as --float '100.00 EUR'"))
        let config = ["XDG_CONFIG_HOME": till.folder.url.path]
        let set = await till.type("config", "set", "currency", "EUR", environment: config)
        XCTAssertEqual(set.exitCode, .done, set.messages)
        let opened = await till.type("till", "open", "--float", "100", environment: config)
        XCTAssertTrue(opened.messages.contains(" with 100.00 EUR.\n"), opened.messages)
    }

    func testATerminalAsks() async throws {
        let till = try await till("A")
        _ = await till.type("sell", "A", "--payment", "cash")
        let refused = await till.type("till", "close", answer: "n\n")
        XCTAssertTrue(refused.messages.hasSuffix("The till was not closed.\n"), refused.messages)
        let silent = await till.type("till", "close", answer: "y\n9\n\n")
        XCTAssertTrue(silent.messages.contains("nothing was closed: the counted cash differs by -1.00 EUR"))
        let ended = await till.type("till", "close", answer: "y\n")
        XCTAssertEqual(ended.exitCode, .failed, ended.messages)
        let closed = await till.type("till", "close", answer: "y\n9\nlost a coin\n")
        XCTAssertEqual(closed.exitCode, .done, closed.messages)
        XCTAssertTrue(closed.results.contains("reason: lost a coin"), closed.results)
    }

    func testWrongArguments() async throws {
        let till = try await till("A")
        for arguments in [
            ["till", "shut"], ["till", "open"], ["till", "open", "--float", "-1"], ["till", "--z"],
            ["till", "close", "--payment", "cash"], ["till", "open", "--float", "1", "--counted", "2"],
            ["report", "--z", "1", "--day", "2026-11-23"],
        ] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "\(arguments): \(outcome.messages)")
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
        let removed = try await store.answer(
            StoreRequest(
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
