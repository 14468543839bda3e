import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class TemplateExampleTests: TimedTestCase {
    func testTheRouteIsFilledIn() async throws {
        let server = try LoopbackServer { request in
            request.method == .head
                ? .status(200, headers: ["X-Remaining": "41"])
                : .json(#"{"Title": "Blue & Green", "Year": "1959"}"#)
        }
        let network = NetworkSession(NetworkConfiguration(server.url))

        let title = try await network.value(for: Titles.Find(key: "k1", title: "Blue & Green", year: 1959))
        XCTAssertEqual(title.year, "1959")
        let left = try await network.value(for: Titles.Left(key: "k/1"))
        XCTAssertEqual(left, Titles.Allowance(remaining: 41))
        XCTAssertEqual(
            server.requests.map(\.target),
            ["/?apikey=k1&t=Blue%20%26%20Green&y=1959", "/keys/k%2F1/usage/today"])
    }

    func testTheGatewayCallsOneOfItsClosures() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"Title": "Blue", "Year": "1959"}"#), .status(401)])
        let gateway = Titles.Gateway(NetworkConfiguration(server.url), key: "s3cret")
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        func ask() async -> String? {
            gateway.title(
                "Blue", onSuccess: { continuation.yield($0.name) }, onError: { continuation.yield($0.description) })
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }

        let found = await ask()
        XCTAssertEqual(found, "Blue")
        let refused = await ask()
        XCTAssertTrue(refused?.contains("401") == true, refused ?? "")
        XCTAssertFalse(refused?.contains("s3cret") == true, refused ?? "")
    }

    func testAnotherClientTakesTheSameRequests() async throws {
        let canned = CannedTransport(body: #"{"Title": "Blue", "Year": "1959"}"#)
        let network = NetworkSession(NetworkConfiguration(environment: "https://titles.example", transport: canned))
        let title = try await network.value(for: Titles.Find(key: "k1", title: "Blue"))
        XCTAssertEqual(title.name, "Blue")
        XCTAssertEqual(canned.calls.map(\.url.absoluteString), ["https://titles.example?apikey=k1&t=Blue"])
    }

    /// An executor that caches responses.
    private struct CachingExecutor: NetworkInterceptor {
        private final class Cache: Sendable {
            let responses = Mutex<[URL: NetworkResponse]>([:])
        }

        private let cache = Cache()

        func intercept(
            _ call: NetworkCall, next: NetworkCall.Next
        ) async throws(NetworkError) -> NetworkResponse {
            if let kept = cache.responses.withLock({ $0[call.url] }) { return kept }
            let response = try await next(call)
            cache.responses.withLock { $0[call.url] = response }
            return response
        }
    }

    /// A client of the app, which does not use URLSession.
    private struct TitleClient: NetworkTransport {
        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            let name = RequestQuery(parsing: call.url.query(percentEncoded: true) ?? "").items.last?.value ?? ""
            return NetworkResponse(
                statusCode: 200, headers: ["Content-Type": "application/json"],
                body: Data(#"{"Title": "\#(name)", "Year": "1959"}"#.utf8), url: call.url)
        }
    }

    func testTheGatewayRunsAnExecutorAClientAndALoggerOfTheAppsOwn() async {
        let book = LogBook()
        let network = NetworkConfiguration(
            environment: "https://titles.example", transport: TitleClient(),
            interceptors: [CachingExecutor(), LoggingInterceptor(to: book)])
        let gateway = Titles.Gateway(network, key: "s3cret")
        func find(_ title: String) async -> String {
            await withCheckedContinuation { continuation in
                gateway.title(
                    title, onSuccess: { continuation.resume(returning: $0.name) },
                    onError: { continuation.resume(returning: $0.description) })
            }
        }

        let names = [await find("Blue"), await find("Blue"), await find("Green")]

        XCTAssertEqual(names, ["Blue", "Blue", "Green"])
        // The second response comes from the executor's cache, so no request was sent for it.
        XCTAssertEqual(book.messages.count, 2)
        XCTAssertFalse(book.messages.joined().contains("s3cret"))
    }
}
