import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Runs the snippets of the articles on transports, observing events and timelines.
final class TransportExampleTests: TimedTestCase {
    private let record = Data(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#.utf8)

    func testATransportFromMemory() async throws {
        let records = ["LP-0042": record]
        let configuration = NetworkConfiguration(
            environment: NetworkEnvironment("https://catalog.test"),
            transport: Catalog(records: records))
        let network = NetworkSession(configuration)

        let fetched = try await network.value(for: RecordService.One.fetch(sku: "LP-0042"))
        XCTAssertEqual(fetched.quantity, 3)
        let error = await network.failure(of: RecordService.One.fetch(sku: "none"))
        guard case .notFound = error else { return XCTFail("\(String(describing: error))") }
    }

    func testAStreamIsCollectedAndPausesItsSource() async throws {
        let connection = Chunks(head: 200, Array(record).map { Data([$0]) } + [Data(count: 2 << 20)])
        let sizes = Mutex<[Int]>([])
        var configuration = NetworkConfiguration(
            environment: NetworkEnvironment("https://catalog.test"),
            transport: ConnectionTransport { _ in connection })
        let body = try await NetworkSession(configuration).value(for: Ask<Data>())
        XCTAssertEqual(body.count, record.count + 2 << 20)

        configuration.interceptors = [Arrivals { size in sizes.withLock { $0.append(size) } }]
        let arrived = try await NetworkSession(configuration).value(for: Ask<Data>())
        XCTAssertEqual(arrived.count, body.count)
        XCTAssertEqual(sizes.withLock(\.last), body.count)
        XCTAssertEqual(connection.pauses.load(ordering: .relaxed), connection.resumes.load(ordering: .relaxed))
        XCTAssertEqual(connection.closes.load(ordering: .relaxed), 0)
    }

    func testDataTasksAndTheirCount() async throws {
        let server = try LoopbackServer(responses: [.text("one"), .text("two")])
        let transport = CountingTransport()
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(server.url.absoluteString), transport: transport))
        let one = try await network.value(for: Ask<String>())
        let two = await withCheckedContinuation { continuation in
            NetworkManager<Ask<String>>(network).dataTask(for: Ask()) { continuation.resume(returning: try? $0.get()) }
        }
        XCTAssertEqual([one, two], ["one", "two"])
        XCTAssertEqual(transport.count.load(ordering: .relaxed), 1)
    }

    func testObservers() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(to: "/ask", with: .text("x"))
        let slow = Mutex<[CallTimeline]>([])
        var configuration = stub.configuration
        configuration.interceptors = [PrinterQueue()]
        let counter = EventCounter()
        configuration.observers = [counter]
        _ = try await NetworkSession(configuration).value(for: Ask<String>())
        XCTAssertEqual(counter.count(of: .built), 1)
        configuration.observers = [
            TimelineObserver { timeline in
                if timeline.duration > .seconds(2) { print(timeline) }
            }
        ]
        configuration.observers += [counter, TimelineObserver { timeline in slow.withLock { $0.append(timeline) } }]
        _ = try await NetworkSession(configuration).value(for: Ask<String>())

        XCTAssertEqual(counter.count(of: .printer), 2)
        XCTAssertEqual(counter.count(of: .built), 2)
        let timeline = try XCTUnwrap(slow.withLock(\.first))
        XCTAssertTrue(timeline.description.contains("; waited for the printer in 1.0 s;"), timeline.description)
    }
}

/// Delivers its chunks from memory.
private final class Chunks: Connection {
    let pauses = Atomic<Int>(0)
    let resumes = Atomic<Int>(0)
    let closes = Atomic<Int>(0)
    private let status: Int
    private let chunks: [Data]

    init(head status: Int, _ chunks: [Data]) {
        self.status = status
        self.chunks = chunks
    }

    func head() async throws -> (status: Int, headers: HTTPHeaders) { (status, [:]) }

    func receive(_ chunk: @escaping @Sendable (Data) -> Void, end: @escaping @Sendable ((any Error)?) -> Void) {
        for data in chunks { chunk(data) }
        end(nil)
    }

    func pause() { pauses.add(1, ordering: .relaxed) }
    func resume() { resumes.add(1, ordering: .relaxed) }
    func close() { closes.add(1, ordering: .relaxed) }
}
