import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class TemplateExampleTests: XCTestCase {
    func testTheRouteIsFilledIn() async throws {
        let server = try LoopbackServer { request in
            request.method == .head
                ? .status(200, headers: ["X-Remaining": "41"])
                : .json(#"{"Title": "Blue & Green", "Year": "1959"}"#)
        }
        let network = NetworkConfiguration(server.url)

        let title = try await network.value(for: Titles.Find(key: "k1", title: "Blue & Green", year: 1959))
        XCTAssertEqual(title.year, "1959")
        let left = try await network.value(for: Titles.Left(key: "k/1"))
        XCTAssertEqual(left, Titles.Allowance(remaining: 41))
        XCTAssertEqual(
            server.requests.map(\.target),
            ["/?apikey=k1&t=Blue%20%26%20Green&y=1959", "/keys/k%2F1/usage/today"])
    }

    func testTheGatewayCallsOneOfItsClosures() async throws {
        let server = try LoopbackServer(answers: [.json(#"{"Title": "Blue", "Year": "1959"}"#), .status(401)])
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
        let network = NetworkConfiguration(environment: "https://titles.example", transport: canned)
        let title = try await network.value(for: Titles.Find(key: "k1", title: "Blue"))
        XCTAssertEqual(title.name, "Blue")
        XCTAssertEqual(canned.calls.map(\.url.absoluteString), ["https://titles.example?apikey=k1&t=Blue"])
    }
}
