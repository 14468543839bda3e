import TestSupport
import XCTest

@testable import RecordInventory

/// Five tills as processes take up the same baskets, and are killed meanwhile: each basket is sold once, none is gone.
final class ParkedProcessTests: TimedTestCase {
    func testOnOneStore() async throws {
        let folder = try TemporaryFolder()
        try await check(Tool(store: folder.path("stock.sqlite")))
    }

    func testOnKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "parked baskets", needsTransactions: true) else { return }
        let folder = try TemporaryFolder()
        try await check(kinto.tool(folder, bucket: "parked-\(UUID().uuidString.lowercased())"), rounds: 1)
    }

    private func check(_ tool: Tool, rounds: Int = 3) async throws {
        let fields = ["--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR", "--quantity", "50"]
        XCTAssertEqual(try tool.run(["add", "--sku", "R"] + fields).exitCode, 0)
        let names = (0..<5).map { "B\($0)" }
        XCTAssertEqual(try tool.run("till", input: names.map { "R\npark \($0)\n" }.joined()).exitCode, 0)
        let killed = Kept(0)
        // A till waits for its process, so each has a thread of its own.
        let ended = DispatchGroup()
        for till in 0..<5 {
            ended.enter()
            Thread.detachNewThread {
                defer { ended.leave() }
                var generator = SeededGenerator(seed: UInt64(till))
                for _ in 0..<rounds {
                    let lines = names.shuffled(using: &generator).map { "park \($0)\npay cash\n" }
                    let (input, messages) = (Pipe(), Pipe())
                    let arguments = ["till", "--till", "T\(till)"]
                    guard let process = try? tool.start(arguments, input: input, messages: messages) else { return }
                    try? input.fileHandleForWriting.write(contentsOf: Data(lines.joined().utf8))
                    try? input.fileHandleForWriting.close()
                    let moments = ["This is the till", "Took up", "This is the sale"]
                    let moment = moments.randomElement(using: &generator) ?? ""
                    _ = messages.fileHandleForReading.waitForLines(with: moment, count: 1)
                    kill(process.processIdentifier, SIGKILL)
                    process.waitUntilExit()
                    if process.terminationReason == .uncaughtSignal { killed.change { $0 += 1 } }
                }
            }
        }
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
        XCTAssertGreaterThan(killed.now, 0)
        // A basket that a till has is still there, and this till gets it again.
        for till in 0..<5 {
            _ = try tool.run(["till", "--till", "T\(till)"], input: names.map { "park \($0)\npay cash\n" }.joined())
        }
        XCTAssertEqual(try tool.run("list", "--fields", "quantity").results, "45\n")
        XCTAssertTrue(try tool.run("till", input: "park\n").messages.contains("no basket is parked"))
        XCTAssertEqual(try tool.run("doctor", "--dry-run").exitCode, 0)
    }
}
