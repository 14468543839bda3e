import RecordKit
import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

/// Counting a shelf, scanned copy by copy.
final class CountCommandTests: TimedTestCase {
    /// A shelf with one copy of each.
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--location", "S") }
        return till
    }

    func testCodesMayBeDividedByTabsOrReturns() async throws {
        let till = try await till("A", "B", "C")
        let counted = await till.scan(["count", "--location", "S"], "A\tB\rC\r")
        XCTAssertEqual(counted.exitCode, .done, counted.messages)
        XCTAssertTrue(counted.messages.contains("3 copies counted, as expected"), counted.messages)
        let long = await till.scan(
            ["count", "--location", "S"], String(repeating: "A\t", count: 3_000) + "\nB\nC\nA\n")
        XCTAssertEqual(long.exitCode, .partlyDone, long.messages)
        XCTAssertTrue(long.messages.contains("more than 4096 bytes"), long.messages)
    }

    func testALostConnectionOrADamagedRecordLosesNoScan() async throws {
        let till = try await till("A", "B")
        try await till.addUnreadable("broken")
        let network = try LosingTransport.network(till) { $0.url.path().hasSuffix("/lost") }
        let messages = Transcript()
        let context = CommandContext(
            stock: Stock(network, bucket: "shop"), place: .server("http://127.0.0.1"),
            console: Console(
                results: Transcript().output(), messages: messages.output(), input: .texts("A\nlost\nbroken\nB\n")))
        let exitCode = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertTrue(messages.text.contains("\"lost\" was not counted: "), messages.text)
        XCTAssertTrue(messages.text.contains("\"broken\" was not counted: "), messages.text)
        XCTAssertTrue(messages.text.contains("2 copies counted, as expected."), messages.text)
    }

    func testACountThatFailsSaysWhatWasSet() async throws {
        let till = try Till()
        let rows = (1...1_200).map { "S-\($0),A,T,1,EUR,S" }.joined(separator: "\n")
        _ = await till.type(
            "import", try till.file(rows, header: "sku,artist,title,price,currency,location"))
        let count = Mutex(0)
        let network = try LosingTransport.network(till) { call in
            guard call.url.path().hasSuffix("/batch"), call.isChange else { return false }
            return count.withLock { count in
                count += 1
                return count > 1
            }
        }
        var stock = Stock(network, bucket: "shop")
        stock.questionDelays = []
        let messages = Transcript()
        let context = CommandContext(
            stock: stock, place: .server("http://127.0.0.1"),
            console: Console(results: Transcript().output(), messages: messages.output(), input: .texts("S-1\n")))
        do {
            _ = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
            XCTFail("the second batch was lost")
        } catch let failure as CommandFailure {
            XCTAssertEqual(failure.exitCode, .network)
        }
        let set = try await stock.movements(MovementFilter(kinds: [.count])).count
        XCTAssertTrue(100..<1_199 ~= set, "\(set)")
        XCTAssertTrue(messages.text.hasSuffix("\n\(set) quantities set as counted.\n"), messages.text)
    }

    func testARecordThatIsSoldMeanwhileIsLeft() async throws {
        let till = try await till("A", "B")
        let file = till.folder.url.appending(path: "stock.sqlite")
        let overtaken = OvertakenTransport(
            EmbeddedTransport(EmbeddedStore(file: file)), before: "\"kind\":\"count\""
        ) { _ = await till.type("sell", "B") }
        let stock = Stock(over: overtaken)
        let messages = Transcript()
        let context = CommandContext(
            stock: stock, place: .store(path: file.path),
            console: Console(
                results: Transcript().output(), messages: messages.output(), input: .texts("A\nA\nB\nB\n")))
        let exitCode = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertTrue(messages.text.contains("B was changed while you counted; count it again\n"), messages.text)
        XCTAssertTrue(messages.text.contains("1 quantity set as counted.\n"), messages.text)
        let quantities = await till.type("list", "--fields", "quantity").skus
        XCTAssertEqual(quantities, ["2", "0"])
        let differences = try await stock.differences()
        XCTAssertEqual(differences, [])
    }
}
