import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// The progress of a call is reported for every kind of body, and over every transport.
final class ProgressTests: TimedTestCase {
    private let clock = ManualClock()

    private static let megabytes = 3 << 20

    private func network(_ server: LoopbackServer) -> NetworkConfiguration {
        let network = NetworkConfiguration(server.url, clock: clock)
        return network
    }

    func testAnUploadReportsItsFirstAndItsLastBytes() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file()
        try Data(count: Self.megabytes).write(to: file)
        let bodies: [(String, any NetworkEncodable & Sendable)] = [
            ("data", Data(count: Self.megabytes)), ("file", FileBody(file)),
            ("multipart", MultipartBody([.file("cover", file)])), ("stream", StreamBody(chunks())),
        ]
        for (name, body) in bodies {
            let server = try LoopbackServer(bodies: .counted) { _ in .text("fine") }
            let reports = Kept<[NetworkProgress]>([])
            _ = try await NetworkSession(network(server)).value(for: Ask<String>(method: .post, content: body)) {
                $0.onProgress = reports.add
            }
            let sent = reports.of(.sending)
            let total = try XCTUnwrap(server.requests.first?.bodyLength, name)
            // The clock stands still, so that only the first and the last report are due.
            XCTAssertEqual(sent.count, 2, name)
            XCTAssertGreaterThan(total, sent.first?.bytes ?? .max, name)
            XCTAssertEqual(sent.map(\.total), [total, total], name)
            XCTAssertEqual(sent.last?.bytes, total, name)
            XCTAssertEqual(sent.last?.fraction, 1, name)
            XCTAssertEqual(reports.of(.receiving).last?.bytes, 4, name)
            XCTAssertEqual(reports.now.last?.phase, .receiving, name)
        }
    }

    private func chunks() -> AsyncStream<Data> {
        AsyncStream { continuation in
            for _ in 0..<3 { continuation.yield(Data(count: 1 << 20)) }
            continuation.finish()
        }
    }

    func testAResponseIsReportedWhetherItIsBufferedOrStreamed() async throws {
        let server = try LoopbackServer { _ in .status(200, body: Data(count: Self.megabytes)) }
        let buffered = Kept<[NetworkProgress]>([])
        _ = try await NetworkSession(network(server)).value(for: Ask<Data>()) { $0.onProgress = buffered.add }
        let streamed = Kept<[NetworkProgress]>([])
        let chunks = NetworkManager(network(server)).chunks(for: Ask<Data>()) { $0.onProgress = streamed.add }
        _ = try await chunks.collect()
        for reports in [buffered, streamed] {
            let received = reports.of(.receiving)
            XCTAssertEqual(received.count, 2)
            XCTAssertEqual(received.map(\.total), [Self.megabytes, Self.megabytes])
            XCTAssertEqual(received.last?.bytes, Self.megabytes)
            XCTAssertTrue(reports.of(.sending).isEmpty)
        }
    }

    func testABodyWithoutALengthHasATotalAtItsEnd() async throws {
        let server = try LoopbackServer { _ in [.chunk("12345"), .chunk("678")] }
        let reports = Kept<[NetworkProgress]>([])
        _ = try await NetworkSession(network(server)).value(for: Ask<Data>()) { $0.onProgress = reports.add }
        XCTAssertNil(reports.now.first?.total)
        XCTAssertNil(reports.now.first?.fraction)
        XCTAssertNil(reports.now.first?.estimatedTimeLeft)
        XCTAssertEqual(reports.now.last?.bytes, 8)
        XCTAssertEqual(reports.now.last?.total, 8)
        XCTAssertEqual(reports.now.last?.estimatedTimeLeft, .zero)
    }

    func testAStubReportsTheEnds() async throws {
        let server = StubServer()
        server.respond(to: "POST ask", with: .text("fine"))
        let reports = Kept<[NetworkProgress]>([])
        _ = try await NetworkSession(server.configuration).value(for: Ask<String>(method: .post, content: "hello")) {
            $0.onProgress = reports.add
        }
        XCTAssertEqual(reports.now.map(\.phase), [.sending, .receiving])
        XCTAssertEqual(reports.now.map(\.bytes), [5, 4])
    }

    func testThereAreTenReportsASecondAtMost() async throws {
        let reports = Kept<[NetworkProgress]>([])
        let network = NetworkSession(TickingTransport(clock: clock), clock: clock)
        _ = try await network.value(for: Ask<Data>()) { $0.onProgress = reports.add }
        // 1,000 chunks, one every 10 ms: 10 s.
        let received = reports.of(.receiving)
        XCTAssertLessThanOrEqual(received.count, 102)
        XCTAssertGreaterThanOrEqual(received.count, 100)
        XCTAssertEqual(received.map(\.bytes), received.map(\.bytes).sorted())
        let middle = received[received.count / 2]
        let left = try XCTUnwrap(middle.estimatedTimeLeft)
        XCTAssertEqual(left / .seconds(1), Double(1_000_000 - middle.bytes) / 100_000, accuracy: 0.01)
    }

    func testARetryBeginsAgain() async throws {
        let server = try LoopbackServer(responses: [.redirect(to: "/there", status: 307), .text("fine")])
        let reports = Kept<[NetworkProgress]>([])
        let ask = Ask<String>(method: .post, content: Data(count: 100_000))
        _ = try await NetworkSession(network(server)).value(for: ask) { $0.onProgress = reports.add }
        let sent = reports.of(.sending).map(\.bytes)
        XCTAssertEqual(sent.last, 100_000)
        XCTAssertTrue(zip(sent, sent.dropFirst()).contains { $0 > $1 }, "\(sent)")
    }

    func testACompletionCallReportsIt() async throws {
        let server = try LoopbackServer { _ in .text("fine") }
        let reports = Kept<[NetworkProgress]>([])
        let finished = ResponseGate()
        let manager = NetworkManager<Ask<String>>(network(server))
        manager.send(
            Ask(method: .post, content: Data(count: 100_000)), onProgress: reports.add
        ) { _ in finished.open() }
        try await finished.wait()
        XCTAssertEqual(reports.now.last?.bytes, 4)
        XCTAssertEqual(reports.of(.sending).last?.bytes, 100_000)
    }

    func testFoundationsProgressFollows() async throws {
        let server = try LoopbackServer { _ in .status(200, body: Data(count: 1000)) }
        let download = Progress(totalUnitCount: -1)
        _ = try await NetworkSession(network(server)).value(for: Ask<Data>()) { $0.onProgress = download.update }
        XCTAssertEqual(download.fractionCompleted, 1)
        XCTAssertEqual(download.totalUnitCount, 1000)
        let upload = Progress(totalUnitCount: -1)
        _ = try await NetworkSession(network(server)).value(for: Ask<Data>(method: .post, content: Data(count: 50_000)))
        { $0.onProgress = upload.update }
        XCTAssertEqual(upload.completedUnitCount, 50_000)
        XCTAssertTrue(upload.isFinished)
    }
}

/// A transport whose response has 1,000 chunks, one every 10 milliseconds of a manual clock.
private struct TickingTransport: NetworkTransport {
    let clock: ManualClock

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let left = Kept(1000)
        let own = Kept<NetworkBytes.Writer?>(nil)
        let next: @Sendable () -> Void = { [clock] in
            let isOver = left.change { left in
                left -= 1
                return left < 0
            }
            let writer = own.now
            if isOver { writer?.finish() } else { writer?.write(Data(count: 1000)) }
            clock.advance(by: .milliseconds(10))
        }
        let (bytes, writer) = NetworkBytes.makeStream(onDrained: next) {}
        own.set(writer)
        next()
        return NetworkResponse(
            statusCode: 200, headers: ["Content-Length": "1000000"], content: .stream(bytes), url: call.url)
    }
}

extension Kept where Value == [NetworkProgress] {
    fileprivate func of(_ phase: NetworkProgress.Phase) -> Value { now.filter { $0.phase == phase } }
}
