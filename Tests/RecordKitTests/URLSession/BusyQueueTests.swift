#if canImport(FoundationNetworking)
import Dispatch
import FoundationNetworking
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// On Linux, all sessions of a process share one queue. A server can keep it busy for minutes, with a redirect whose
/// body is 64 MB of zeros in 65 KB of gzip.
final class BusyQueueTests: TimedTestCase {
    func testCallsEndInTimeWhileTheQueueOfAllSessionsIsBusy() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let manager = NetworkManager<Ask<NetworkResponse>>(NetworkConfiguration(server.url))
        let short = Duration.milliseconds(50)
        let late = Ask<NetworkResponse>(options: RequestOptions(timeout: short))
        let later = Ask<NetworkResponse>(options: RequestOptions(deadline: short))

        await BusyQueue.begin()
        // More calls than Swift's thread pool has threads.
        let calls = (0..<12).map { RunningCall(.valueByTask, manager, $0 % 2 == 0 ? late : later) }
        let left = (0..<4).map { _ in RunningCall(.valueByTask, manager) }
        for (number, call) in calls.enumerated() {
            assertEqual(await call.text, number % 2 == 0 ? "timed out: attempt" : "timed out: deadline")
        }
        for call in left {
            call.cancel()
            assertEqual(await call.text, "cancelled")
        }
        XCTAssertTrue(BusyQueue.end(), "the calls waited for the queue")

        assertEqual(await RunningCall(.valueByTask, manager).text, "200 x")
        XCTAssertEqual(server.requests.count, 1, "a call that ended before it began is not sent")
    }

    func testACallThatHasEndedIsNotKeptWhileTheQueueOfAllSessionsIsBusy() async throws {
        final class Form: NetworkEncodable, Sendable {
            func encoded(using encoder: any NetworkEncoder) -> EncodedBody { "x".encoded(using: encoder) }
        }
        let manager = NetworkManager<Ask<NetworkResponse>>(NetworkConfiguration(try LoopbackServer(responses: []).url))
        let options = RequestOptions(timeout: .milliseconds(50))
        await BusyQueue.begin()
        // The first call waits for the queue, and the others wait for the first.
        _ = await RunningCall(.valueByTask, manager, Ask<NetworkResponse>(options: options)).text
        weak var form: Form?
        func send() async -> String {
            let content = Form()
            form = content
            return await RunningCall(.valueByTask, manager, Ask(method: .post, content: content, options: options)).text
        }
        assertEqual(await send(), "timed out: attempt")
        let end = ContinuousClock.now + .seconds(20)
        while form != nil, ContinuousClock.now < end { await Task.yield() }
        XCTAssertNil(form)
        XCTAssertTrue(BusyQueue.end())
    }
}

/// A protocol that blocks the queue of all sessions.
private final class BusyQueue: URLProtocol {
    private static let network = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [BusyQueue.self]
        return NetworkConfiguration(transport: URLSessionTransport(configuration))
    }()
    private static let hasBegun = Kept<CheckedContinuation<Void, Never>?>(nil)
    private static let isOver = Kept<Bool>(false)
    private static let gate = DispatchSemaphore(value: 0)

    /// Returns when the queue is busy. It stays busy until ``end()``, for half a minute at most.
    static func begin() async {
        await withCheckedContinuation { continuation in
            hasBegun.set(continuation)
            Task { try? await NetworkSession(network).value(for: Ask<NetworkResponse>(baseURL: "http://busy.invalid")) }
        }
    }

    /// Returns whether the queue was busy until now.
    static func end() -> Bool {
        gate.signal()
        return !isOver.now
    }

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == "busy.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        Self.hasBegun.change { $0.take() }?.resume()
        if Self.gate.wait(timeout: .now() + 30) == .timedOut { Self.isOver.set(true) }
        client?.urlProtocol(self, didFailWithError: URLError(.unknown))
    }
}
#endif
