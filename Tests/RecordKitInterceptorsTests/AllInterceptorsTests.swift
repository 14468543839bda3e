import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// All interceptors with a thousand calls at once.
final class AllInterceptorsTests: TimedTestCase {
    private let oldToken = "planted-old-token"
    private let newToken = "planted-new-token"

    /// Rejects the old token. For every seventh URL, the first attempt fails. Responds with the path.
    private func transport() -> CannedTransport {
        let met = Mutex<Set<String>>([])
        return CannedTransport { [newToken] call throws(NetworkError) in
            await Task.yield()
            if Task.isCancelled { throw .cancelled }
            if call.headers["Authorization"] != "Bearer \(newToken)" {
                return NetworkResponse(statusCode: 401, url: call.url)
            }
            let path = call.url.path()
            let isFirst = met.withLock { $0.insert("\(call.method) \(path)").inserted }
            if isFirst, path.hasSuffix("7") {
                return NetworkResponse(statusCode: 503, headers: ["Retry-After": "0"], url: call.url)
            }
            if isFirst, path.hasSuffix("3") { throw .lost }
            return NetworkResponse(statusCode: 200, body: Data(path.utf8), url: call.url)
        }
    }

    func testAThousandCallsAtOnceThroughAllOfThem() async {
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken(oldToken))) { [newToken] _ in
            refreshes.withLock { $0 += 1 }
            return AccessToken(newToken)
        }
        let rateLimit = RateLimitInterceptor(1_000_000, per: .seconds(1))
        let (book, stories, transport) = (LogBook(), TimelineBook(), transport())
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example"), transport: transport,
                interceptors: [
                    RetryInterceptor(
                        base: .zero, floor: .zero, budget: nil, idempotencyKey: RetryInterceptor.randomKey),
                    AuthorizationInterceptor(tokens, for: "https://store.example"), SingleFlightInterceptor(),
                    rateLimit,
                    TracingInterceptor(tracing: .begun(isSampled: true)), LoggingInterceptor(to: book),
                ],
                observers: [stories.observer]))

        // A quarter of the URLs is requested twice at once. Every fifth call is a POST. Every tenth caller is
        // cancelled.
        let asks = (0..<1_000).map { number in
            Ask<String>(path: "asks/\(number % 800)", method: number % 5 == 0 ? .post : .get)
        }
        let tasks = asks.map { ask in Task { await network.text(of: ask) } }
        for number in stride(from: 0, to: tasks.count, by: 10) { tasks[number].cancel() }

        for (number, task) in tasks.enumerated() {
            switch await task.value {
            case .success(let path): XCTAssertEqual(path, "/asks/\(number % 800)")
            case .failure(let error):
                guard number % 10 == 0, case .cancelled = error else {
                    XCTFail("call \(number): \(error)")
                    continue
                }
            }
        }
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
        XCTAssertEqual(network.inFlight, 0)
        XCTAssertEqual(rateLimit.budget(for: transport.calls[0].url).waiting, 0)
        XCTAssertLessThanOrEqual(stories.timelines.count, 1_000)
        XCTAssertGreaterThanOrEqual(stories.timelines.count, 900)
        for call in transport.calls {
            XCTAssertEqual(call.headers["X-Request-ID"]?.count, 32)
            XCTAssertEqual(call.headers.contains("Idempotency-Key"), call.method == .post)
        }
        XCTAssertEqual(Set(transport.calls.compactMap { $0.headers["traceparent"] }).count, transport.calls.count)
        // Messages of cancelled calls may be logged later.
        await until { book.messages.count >= transport.calls.count }
        // A call that is cancelled before it is sent has a timeline, too.
        XCTAssertGreaterThanOrEqual(book.messages.count, transport.calls.count)
        XCTAssertFalse(book.messages.contains { $0.contains("planted") })
        XCTAssertFalse(stories.timelines.contains { $0.description.contains("planted") })
    }
}

extension NetworkSession {
    fileprivate func text(of ask: Ask<String>) async -> Result<String, NetworkError> {
        do throws(NetworkError) {
            return .success(try await value(for: ask))
        } catch {
            return .failure(error)
        }
    }
}
