#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// Processes that add, send and handle, and are killed at random moments.
///
/// `RECORDKIT_OUTBOX_KILLS` sets the number of kills, with ten entries for each, and runs ten seeds.
final class KillTests: TimedTestCase {
    private static let kills = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"].flatMap { Int($0) }
    override var timeLimit: TimeInterval { Self.kills.map { max(300, Double($0) * 60) } ?? 300 }

    fileprivate static let variable = "RECORDKIT_OUTBOX_SELLER"
    private static let lanes = 5

    func testOneProcessThatIsKilled() throws {
        for seed in seeds { try run(processes: 1, seed: seed) }
    }

    func testThreeProcessesThatAreKilled() throws {
        for seed in seeds { try run(processes: 3, seed: seed) }
    }

    private var seeds: Range<UInt64> { Self.kills == nil ? 0..<1 : 0..<10 }

    private func run(processes: Int, seed: UInt64) throws {
        let kills = Self.kills ?? 12
        let folder = try TemporaryFolder()
        let shop = KilledShop(seed: seed)
        let server = try LoopbackServer(bodies: .kept) { shop.respond(to: $0) }
        var task = KilledSeller.Task(
            folder: folder.url.path, server: server.url.absoluteString, index: 0, processes: processes,
            count: kills * 10, lanes: Self.lanes)
        var generator = SplitMix(seed: seed)
        var sellers: [Process] = []
        for index in 0..<processes {
            task.index = index
            sellers.append(try KilledSeller.start(task))
        }
        defer { for seller in sellers { kill(seller.processIdentifier, SIGKILL) } }
        for _ in 0..<kills {
            // Most kills fall into a moment in which something happens.
            shop.wait(forRequests: Int.random(in: 1...15, using: &generator))
            let index = Int.random(in: 0..<processes, using: &generator)
            kill(sellers[index].processIdentifier, SIGKILL)
            sellers[index].waitUntilExit()
            task.index = index
            sellers[index] = try KilledSeller.start(task)
        }
        // The server is well now. The processes end when nothing is left.
        shop.getWell()
        for seller in sellers {
            seller.waitUntilExit()
            XCTAssertEqual(seller.terminationStatus, 0, "seed \(seed)")
        }
        try check(folder.url, shop, task, "\(processes) processes, seed \(seed)")
    }

    private func check(_ folder: URL, _ shop: KilledShop, _ task: KilledSeller.Task, _ name: String) throws {
        let shop = shop.state.now
        var added: Set<String> = []
        for index in 0..<task.processes { added.formUnion(try KilledSeller.lines("added-\(index)", folder)) }
        var results: [String: Set<String>] = [:]
        let handled = try KilledSeller.lines("handled", folder)
        for line in handled {
            let parts = line.split(separator: " ").map(String.init)
            results[parts[0], default: []].insert(parts[1])
        }
        // An `add` that was killed has added its entry, or hasn't.
        XCTAssertLessThanOrEqual(task.count - added.count, Self.kills ?? 12, name)
        XCTAssertEqual(added.subtracting(results.keys), [], "\(name): not handled")
        XCTAssertEqual(Set(results.keys).subtracting(shop.numbers.keys), [], "\(name): handled, and not sent")
        for (key, numbers) in results {
            XCTAssertEqual(numbers, ["\(shop.numbers[key] ?? -1)"], "\(name): the results of \(key)")
        }
        XCTAssertEqual(shop.otherBytes, [], "\(name): repeated with other bytes")
        XCTAssertEqual(shop.effects.count, Set(shop.effects).count, "\(name): two effects")
        // Each process adds to each lane in order.
        for lane in 0..<task.lanes {
            for process in 0..<task.processes {
                let order = shop.effects.filter {
                    $0 % task.lanes == lane && $0 / task.lanes % task.processes == process
                }
                XCTAssertEqual(order, order.sorted(), "\(name): the order of lane \(lane)")
            }
        }
        print(
            "\(name): \(added.count) entries, \(shop.requests) requests, \(shop.requests - shop.refused - added.count) "
                + "repeats after an effect, \(handled.count - results.count) handlers called again")
    }

    /// Runs in the processes that are killed.
    func testSell() async throws {
        guard let text = ProcessInfo.processInfo.environment[Self.variable] else { return }
        try await KilledSeller(JSONDecoder().decode(KilledSeller.Task.self, from: Data(text.utf8))).sell()
    }
}

/// A server that fails, loses responses, and remembers keys with their bodies.
private final class KilledShop: Sendable {
    struct State: Sendable {
        var generator: SplitMix
        var isWell = false
        /// The number of each key that had an effect, and the body of its first request.
        var numbers: [String: Int] = [:]
        var bodies: [String: Data] = [:]
        /// The numbers of the entries, in the order of the effects.
        var effects: [Int] = []
        var otherBytes: [String] = []
        var requests = 0
        var refused = 0
    }

    let state: Kept<State>
    private let arrivals = DispatchSemaphore(value: 0)

    init(seed: UInt64) {
        state = Kept(State(generator: SplitMix(seed: seed)))
    }

    func getWell() { state.change { $0.isWell = true } }

    func wait(forRequests count: Int) {
        // A process that has nothing to send anymore is killed, too.
        for _ in 0..<count where arrivals.wait(timeout: .now() + 2) == .timedOut { return }
    }

    func respond(to request: LoopbackRequest) -> StubResponse {
        defer { arrivals.signal() }
        let key = request.header("Idempotency-Key") ?? ""
        let entry = Int(request.path.split(separator: "/").last ?? "") ?? -1
        return state.change { state in
            state.requests += 1
            let die = state.isWell ? 100 : Int.random(in: 0..<100, using: &state.generator)
            if let body = state.bodies[key], body != request.body { state.otherBytes.append(key) }
            state.bodies[key] = request.body
            if die < 8 || 8..<13 ~= die {
                state.refused += 1
                return .status(die < 8 ? 503 : 500)
            }
            if state.numbers[key] == nil {
                state.numbers[key] = state.numbers.count + 1
                state.effects.append(entry)
            }
            return die < 22 ? .close : .json("{\"number\": \(state.numbers[key] ?? 0)}", status: 201)
        }
    }
}

/// A process that adds its entries, sends and handles, and may be killed at any moment.
private struct KilledSeller {
    struct Task: Codable {
        var folder: String
        var server: String
        var index: Int
        var processes: Int
        var count: Int
        var lanes: Int
    }

    /// A sale with the app's own encoder for some, and several parts for others.
    struct PostEntry: NetworkRequest, Codable {
        typealias ValueType = Receipt
        let number: Int
        var method: HTTPMethod { .post }
        var path: RequestPath { "sales/\(number)" }
        var body: (any NetworkEncodable)? {
            switch number % 4 {
            case 0: MultipartBody([.text("sku", "\(number)"), .data("cover", Data("image".utf8), fileName: "a.png")])
            case 1: RandomBody()
            default: PostSale.Line(sku: "\(number)")
            }
        }
    }

    struct RandomBody: NetworkEncodable {
        func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
            EncodedBody(Data(UUID().uuidString.utf8))
        }
    }

    private let task: Task
    private let folder: URL

    init(_ task: Task) {
        self.task = task
        folder = URL(filePath: task.folder)
    }

    static func start(_ task: Task) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["RecordKitOutboxTests.KillTests/testSell"]
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        process.environment = ProcessInfo.processInfo.environment.merging([KillTests.variable: text]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    static func lines(_ name: String, _ folder: URL) throws -> [String] {
        let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func sell() async throws {
        let folder = folder
        var limits = OutboxLimits()
        limits.longestBackoff = .milliseconds(50)
        let outbox = try Outbox(
            file: folder.appending(path: "sales.sqlite"),
            client: NetworkSession(NetworkEnvironment(task.server), transport: CurlTransport()),
            kinds: [
                OutboxKind("entry", PostEntry.self) { reply in
                    let number = try reply.result.get().number
                    // Some kills fall into a handler.
                    try await _Concurrency.Task.sleep(for: .milliseconds(10))
                    try Self.append("\(reply.entry.key) \(number)", to: "handled", folder)
                }
            ], limits: limits)
        let running = _Concurrency.Task { await outbox.run() }
        try await add(to: outbox)
        // Ends when all processes have added, and nothing is left.
        while true {
            let done = try (0..<task.processes).flatMap { index in
                try ["added", "unknown"].flatMap { try Self.lines("\($0)-\(index)", folder) }
            }
            if done.count == task.count, try await outbox.entries().isEmpty { break }
            await outbox.sendPending()
            try await _Concurrency.Task.sleep(for: .milliseconds(20))
            // What another process had in its hands when it was killed.
            await outbox.wake()
        }
        running.cancel()
        await running.value
    }

    /// Adds the entries of this process in order. It remembers which ones, after they were added.
    private func add(to outbox: Outbox) async throws {
        let done = try Self.lines("added-\(task.index)", folder)
        let begun = try Self.lines("begun-\(task.index)", folder)
        let unknown = try Self.lines("unknown-\(task.index)", folder)
        // An app that doesn't know that these are settled adds them again at its start, though they were sent.
        let again = Set(try Self.lines("handled", folder).suffix(10).map { String($0.prefix { $0 != " " }) })
        for number in 0..<task.count where number / task.lanes % task.processes == task.index {
            let key = "sale-\(number)"
            // Bodies that are never the same twice must not be added again after they were sent.
            let differs = number % 4 < 2
            if done.contains(key), differs || !again.contains(key) { continue }
            if differs, begun.contains(key) {
                if !unknown.contains(key) { try Self.append(key, to: "unknown-\(task.index)", folder) }
                continue
            }
            if differs { try Self.append(key, to: "begun-\(task.index)", folder) }
            try await outbox.add(PostEntry(number: number), lane: "\(number % task.lanes)", key: key)
            if !done.contains(key) { try Self.append(key, to: "added-\(task.index)", folder) }
        }
    }

    private static func append(_ line: String, to name: String, _ folder: URL) throws {
        let file = open(folder.appending(path: name).path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(file) }
        let bytes = Array("\(line)\n".utf8)
        guard write(file, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }
}
#endif
