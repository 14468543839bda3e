import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// Several tills as processes, some of them killed. `RECORDKIT_TILLS=1` runs as many as a release requires.
final class TillProcessTests: TimedTestCase {
    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_TILLS"] == "1"
    override var timeLimit: TimeInterval { Self.isLong ? 1_800 : super.timeLimit }

    private func stock(_ tool: Tool) -> Stock {
        Stock(over: EmbeddedTransport(EmbeddedStore(file: URL(filePath: tool.store))))
    }

    private func assertWhole(_ stock: Stock, _ text: String = "", line: UInt = #line) async throws {
        assertEqual(try await stock.differences(), [], text, line: line)
    }

    /// Sells all copies at eight tills at once, each in a loop of processes.
    private func sellOut(_ tool: Tool, _ stock: Stock, copies: Int) async throws {
        let sku = try SKU("LAST")
        _ = try await stock.create(try StockContract.record("LAST", quantity: copies))
        let tills = try (0..<8).map { till in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            // 2: a busy server did not respond in time. Whatever became of that sale, the till goes on.
            let sell = "\"$0\" sell LAST --till till-\(till) \(tool.options.joined(separator: " ")) --quiet >/dev/null"
            process.arguments = [
                "-c", "while :; do \(sell); case $? in 0 | 2) ;; 5) exit 5 ;; *) exit 99 ;; esac; done",
                try XCTUnwrap(Tool.executable).path,
            ]
            process.environment = tool.environment.merging(["RECORD_INVENTORY_STORE": tool.store]) { given, _ in given }
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        for till in tills {
            till.waitUntilExit()
            XCTAssertEqual(till.terminationStatus, 5, "a till ends when all is sold")
        }
        assertEqual(try await stock.fetch(sku).record.quantity, 0)
        let movements = try await stock.movements(MovementFilter(sku: sku))
        XCTAssertEqual(movements.count { $0.kind == .sale }, copies, "each copy is sold once")
        XCTAssertTrue(movements.filter { $0.kind == .sale }.allSatisfy { $0.quantity == -1 })
        try await assertWhole(stock)
    }

    func testEightTillsOnOneStore() async throws {
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("stock.sqlite"))
        try await sellOut(tool, stock(tool), copies: Self.isLong ? 1_000 : 40)
    }

    func testEightTillsOnKinto() async throws {
        let folder = try TemporaryFolder()
        guard let (tool, stock) = try kinto("eight tills", folder) else { return }
        try await sellOut(tool, stock, copies: Self.isLong ? 200 : 16)
    }

    /// Returns the tool and the stock of a new shop on a live Kinto, or `nil` if there is none.
    private func kinto(_ purpose: String, _ folder: TemporaryFolder) throws -> (Tool, Stock)? {
        guard let kinto = try LiveKinto.find(for: purpose, needsTransactions: true) else { return nil }
        let bucket = "tills-\(UUID().uuidString.lowercased())"
        let tool = try kinto.tool(folder, bucket: bucket)
        return (tool, Stock(kinto.network, bucket: bucket))
    }

    func testACommandTypedInSeveralProcessesIsMadeOnce() async throws {
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("stock.sqlite"))
        try await typeAtOnce(tool, stock(tool))
    }

    func testACommandTypedInSeveralProcessesIsMadeOnceOnKinto() async throws {
        let folder = try TemporaryFolder()
        guard let (tool, stock) = try kinto("one id in several processes", folder) else { return }
        try await typeAtOnce(tool, stock)
    }

    /// Runs a command in four processes at once. Returns their exit codes in order.
    private func typeAtOnce(_ tool: Tool, _ arguments: String...) throws -> [Int32] {
        let processes = try (0..<4).map { _ in try tool.start(arguments + ["--quiet"]) }
        for process in processes { process.waitUntilExit() }
        return processes.map(\.terminationStatus).sorted()
    }

    private func typeAtOnce(_ tool: Tool, _ stock: Stock) async throws {
        for sku in ["A", "B"] { _ = try await stock.create(try StockContract.record(sku, quantity: 100)) }
        let rounds = Self.isLong ? 25 : 4
        for round in 0..<rounds {
            let sale = "sale-\(round)"
            XCTAssertEqual(try typeAtOnce(tool, "sell", "A", "B", "--id", sale), [0, 0, 0, 0])
            XCTAssertEqual(try typeAtOnce(tool, "return", "A", "--sale", sale), [0, 5, 5, 5], "one copy was sold")
            XCTAssertEqual(try typeAtOnce(tool, "sell", "B", "--id", "again-\(round)"), [0, 0, 0, 0])
            XCTAssertEqual(try typeAtOnce(tool, "undo", "again-\(round)"), [0, 0, 0, 0])
            XCTAssertEqual(try typeAtOnce(tool, "reserve", "B", "--for", "Ada", "--id", "kept-\(round)"), [0, 0, 0, 0])
        }
        let movements = try await stock.movements(MovementFilter())
        let counts = Dictionary(grouping: movements, by: \.kind).mapValues(\.count)
        let expected: [Movement.Kind: Int] = [
            .opening: 2, .sale: 3 * rounds, .return: 2 * rounds, .reservation: rounds,
        ]
        XCTAssertEqual(counts, expected)
        let (a, b) = (try await stock.fetch(try SKU("A")).record, try await stock.fetch(try SKU("B")).record)
        XCTAssertEqual([a.quantity, b.quantity], [100, 100 - rounds])
        XCTAssertEqual(b.reservations.count, rounds)
        try await assertWhole(stock)
    }

    /// Starts a command, kills it after some of its requests, and checks that the ledger is whole. Returns whether the
    /// command had not ended by then.
    private func isKilled(
        _ arguments: [String], _ lines: String = "", after requests: Int, _ tool: Tool, _ stock: Stock
    ) async throws -> Bool {
        let (input, messages) = (Pipe(), Pipe())
        let process = try tool.start(arguments + ["--verbose"], input: input, messages: messages)
        try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        try input.fileHandleForWriting.close()
        _ = messages.fileHandleForReading.waitForLines(with: " bytes, ", count: requests)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try await assertWhole(stock, "\(arguments)")
        return process.terminationReason == .uncaughtSignal
    }

    /// A sale makes two requests, and other commands more. The last of them, or the last of each batch, changes the
    /// stock.
    func testKilledBetweenItsRequestsACommandLeavesTheLedgerWhole() async throws {
        let rounds = Self.isLong ? 50 : 3
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("stock.sqlite"))
        let stock = stock(tool)
        for index in 0..<40 {
            var record = try StockContract.record("S-\(index)", quantity: 100)
            record.location = "S"
            _ = try await stock.create(record)
        }
        let sku = try SKU("S-0")
        var killed: [String: Int] = [:]
        for round in 0..<rounds {
            let requests = Self.isLong ? 1 + round % 6 : 2 + 2 * round
            let before = try await stock.fetch(sku).record.quantity
            let sale = ["sell", "S-0", "S-1", "S-2", "--id", "sale-\(round)"]
            if try await isKilled(sale, after: 1 + round / 2 % 2, tool, stock) { killed["sell", default: 0] += 1 }
            try tool.run(sale[0], sale[1], sale[2], sale[3], sale[4], sale[5]).expect(0)
            let after = try await stock.fetch(sku).record.quantity
            XCTAssertEqual(after, before - 1, "made once")

            if try await isKilled(["till"], "S-0\nS-1\npay cash\n", after: min(requests, 3), tool, stock) {
                killed["till", default: 0] += 1
            }
            let sold = try await stock.movements(MovementFilter(sku: sku)).count { $0.payment == "cash" }
            let other = try await stock.movements(MovementFilter(sku: try SKU("S-1"))).count { $0.payment == "cash" }
            XCTAssertEqual(sold, other, "the whole sale, or nothing")

            // Each record has five copies then, of which the next round sells some.
            let scanned = (0..<200).map { "S-\($0 / 5)\n" }.joined()
            let count = ["count", "--location", "S", "--commit"]
            if try await isKilled(count, scanned, after: min(requests, 4), tool, stock) {
                killed["count", default: 0] += 1
            }
            try tool.run(count[0], count[1], count[2], count[3], input: scanned).expect(0)
            let rows = (0..<1_500).map { "I-\($0),A,T,1,EUR,\(round + 1)" }.joined(separator: "\n")
            let file = try folder.write("sku,artist,title,price,currency,quantity\n\(rows)\n".utf8)
            let update = ["--on-duplicate", "update", "--set-quantity"]
            if try await isKilled(["import", file] + update, after: requests, tool, stock) {
                killed["import", default: 0] += 1
            }
            try tool.run("import", file, update[0], update[1], update[2]).expect(0)
            try await assertWhole(stock)
        }
        print("killed before their end, of \(rounds) each: \(killed)")
        for command in ["sell", "till", "count", "import"] {
            XCTAssertGreaterThan(killed[command] ?? 0, 0, "no kill met \(command)")
        }
    }
}
