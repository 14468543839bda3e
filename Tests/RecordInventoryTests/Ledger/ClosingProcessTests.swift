import TestSupport
import XCTest

@testable import RecordInventory

/// A day of eight tills as processes, some of them killed, which are closed by two at once. Then every sale is in
/// exactly one close, and the closes add up to the ledger. `RECORDKIT_TILLS=1` sells 2,000 times, on Kinto 400 times.
final class ClosingProcessTests: TimedTestCase {
    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_TILLS"] == "1"
    override var timeLimit: TimeInterval { Self.isLong ? 3_600 : super.timeLimit }

    func testADayOfEightTillsOnOneStore() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("stock.sqlite")
        try await runDay(Tool(store: file), folder, sales: Self.isLong ? 250 : 3) {
            try LedgerReader.lists(inStore: file, bucket: "shop")
        }
    }

    func testADayOfEightTillsOnKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "closing tills", needsTransactions: true) else { return }
        let folder = try TemporaryFolder()
        let bucket = "closing-\(UUID().uuidString.lowercased())"
        let tool = try kinto.tool(folder, bucket: bucket)
        // Each process signs in, which takes the server long.
        try await runDay(tool, folder, tills: Self.isLong ? 8 : 3, sales: Self.isLong ? 50 : 2) {
            var lists: [String: LedgerReader.List] = [:]
            for name in ["movements", "closings", "cash"] {
                let address = "\(kinto.address)/buckets/\(bucket)/collections/\(name)/records?_sort=id"
                lists[name] = try await LedgerReader.list(address, kinto.authorization)
            }
            return lists
        }
    }

    /// - Parameters:
    ///   - sales: The number of sales of each till whose receipt is printed.
    ///   - read: Reads the collections without the code of the tool.
    private func runDay(
        _ tool: Tool, _ folder: TemporaryFolder, tills: Int = 8, sales: Int,
        _ read: () async throws -> [String: LedgerReader.List]
    ) async throws {
        let rows = (0..<Shift.records).map { "R-\($0),A,T,\($0 + 1).50,EUR,100000\n" }.joined()
        let file = try folder.write("sku,artist,title,price,currency,quantity\n\(rows)".utf8)
        try tool.run("import", file).expect(0)

        // A till waits for its processes, so each has a thread of its own.
        let ended = DispatchGroup()
        let failures = Kept<[String]>([])
        let totals = Kept((killedTills: 0, killedClosers: 0))
        for number in 0..<tills {
            ended.enter()
            Thread.detachNewThread {
                defer { ended.leave() }
                var shift = Shift(tool: tool, till: "till-\(number)", seed: UInt64(number))
                do {
                    while shift.receipts < sales { try shift.runRound(upTo: min(sales, 20)) }
                    try shift.end()
                } catch {
                    failures.add("\(shift.till): \(error)")
                }
                totals.change { totals in
                    totals.killedTills += shift.killedTills
                    totals.killedClosers += shift.killedClosers
                }
            }
        }
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
        XCTAssertEqual(failures.now, [])
        let (killedTills, killedClosers) = totals.now
        // In a short day, each may have ended before it is killed.
        if Self.isLong { XCTAssertGreaterThan(min(killedTills, killedClosers), 0) }
        let counts = try LedgerReader.compareClosings(await read())
        print("closed: \(counts), \(killedTills) tills and \(killedClosers) closers were killed")
        XCTAssertGreaterThanOrEqual(counts.sales, sales * tills)
    }

    /// A till that opens, sells and is closed, again and again.
    private struct Shift {
        static let records = 50

        let tool: Tool
        let till: String
        /// The number of sales whose receipts were printed.
        var receipts = 0
        var killedTills = 0
        var killedClosers = 0
        private var generator: SeededGenerator
        private var sales: [String] = []

        init(tool: Tool, till: String, seed: UInt64) {
            self.tool = tool
            self.till = till
            generator = SeededGenerator(seed: seed)
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        private mutating func one(of number: Int) -> Int { Int.random(in: 0..<number, using: &generator) }

        private mutating func lines() -> String {
            var lines = ["\(one(of: 3) + 1) x R-\(one(of: Self.records))", "R-\(one(of: Self.records))"]
            switch one(of: 6) {
            case 0: lines.append("discount 10%")
            case 1: lines.append("trade-in R-\(one(of: Self.records)) 3.00")
            case 2: if let sale = sales.randomElement(using: &generator) { lines.append("return \(sale)") }
            default: break
            }
            return (lines + [["cash", "card", "pay"][one(of: 3)]]).joined(separator: "\n") + "\n"
        }

        /// Sells some baskets at a process that may be killed, while two others close the till, one of which may be
        /// killed.
        mutating func runRound(upTo limit: Int) throws {
            try run(["till", "open", "--float", "50.00"], allowing: [0, 5])
            let (input, results, messages) = (Pipe(), Pipe(), Pipe())
            let selling = try tool.start(["till", "--till", till], input: input, results: results, messages: messages)
            let count = one(of: limit) + 1
            let baskets = (0..<count).map { _ in lines() }.joined()
            try input.fileHandleForWriting.write(contentsOf: Data(baskets.utf8))
            try input.fileHandleForWriting.close()
            _ = messages.fileHandleForReading.waitForLines(with: "This is the sale ", count: one(of: count) + 1)

            let requests = Pipe()
            let close = ["till", "close", "--z", "--till", till]
            let first = try tool.start(close + ["--verbose"], messages: requests)
            let second = try tool.start(close)
            if one(of: 2) == 0 {
                _ = requests.fileHandleForReading.waitForLines(with: " bytes, ", count: one(of: 5) + 1)
                kill(first.processIdentifier, SIGKILL)
            }
            if one(of: 2) == 0 { kill(selling.processIdentifier, SIGKILL) }

            _ = try messages.fileHandleForReading.readToEnd()
            _ = try requests.fileHandleForReading.readToEnd()
            let printed = String(decoding: try results.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            for process in [selling, first, second] { process.waitUntilExit() }
            if selling.terminationReason == .uncaughtSignal { killedTills += 1 }
            if first.terminationReason == .uncaughtSignal { killedClosers += 1 }
            guard second.terminationStatus == 0 else {
                throw Failure(description: "a close failed: \(second.terminationStatus)")
            }
            // The id of a sale is a line of its receipt.
            let made = printed.split(separator: "\n").map(String.init).filter {
                $0.utf8.count == 23 && $0.utf8.dropFirst(6).first == UInt8(ascii: "-") && $0.isKintoID
            }
            receipts += made.count
            sales += made
            try run(["sell", "R-0", "--payment", "card"], allowing: [0])
            receipts += 1
        }

        /// Closes the till after its last sale.
        func end() throws { try run(["till", "close", "--z"], allowing: [0]) }

        private func run(_ arguments: [String], allowing codes: [Int32]) throws {
            let process = try tool.start(arguments + ["--till", till, "--quiet"])
            process.waitUntilExit()
            guard codes.contains(process.terminationStatus) else {
                throw Failure(description: "\(arguments): \(process.terminationStatus)")
            }
        }
    }
}
