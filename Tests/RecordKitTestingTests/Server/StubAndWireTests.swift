import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// An app gets the same from a stub and from a server.
final class StubAndWireTests: TimedTestCase {
    private struct Response: Sendable {
        var status = 200
        var headers: HTTPHeaders = [:]
        var body = ""
    }

    private struct Change: NetworkInterceptor {
        let change: @Sendable (inout NetworkCall) -> Void

        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            var call = call
            change(&call)
            return try await next(call)
        }
    }

    /// Returns the results of a stub and a server for the same responses, and what each received.
    private func both(
        _ ask: Ask<NetworkResponse>, _ change: Change? = nil, _ answer: @escaping @Sendable (String) -> Response
    ) async throws -> [[String]] {
        let server = try LoopbackServer { request in
            let answer = answer(request.path)
            return .status(answer.status, headers: answer.headers, body: Data(answer.body.utf8))
        }
        let environment = NetworkEnvironment(server.url.absoluteString)
        let stub = StubServer(environment: environment)
        stub.respond(to: "/**") { request in
            let answer = answer(request.url.path)
            return .status(answer.status, headers: answer.headers, body: Data(answer.body.utf8))
        }
        let wire = try await told(ask, change, by: NetworkConfiguration(environment: environment))
        let stubbed = try await told(ask, change, by: stub.configuration)
        return [
            wire + server.requests.map { "\($0.method) \($0.path) \($0.header("Content-Type") ?? "") \($0.text)" },
            stubbed
                + stub.requests.map { "\($0.method) \($0.url.path) \($0.headers["Content-Type"] ?? "") \($0.text)" },
        ]
    }

    private func told(
        _ ask: Ask<NetworkResponse>, _ change: Change?, by network: NetworkConfiguration
    ) async throws -> [String] {
        var network = network
        network.interceptors = change.map { [$0] } ?? []
        let timelines = Kept<[String]>([])
        network.observers = [
            TimelineObserver { timeline in
                timelines.add("\(timeline.events.filter { $0.kind == .redirect }.map(\.status))")
            }
        ]
        let error = await network.failure(of: ask)
        guard let error else { return timelines.now }
        guard case .redirectRefused(let refusal) = error else { return ["\(error)"] + timelines.now }
        return ["\(error)", String(decoding: refusal.response.body, as: UTF8.self)] + timelines.now
    }

    func testTheBodyOfARedirectIsLost() async throws {
        let found = try await both(Ask(options: RequestOptions(sizeLimit: 3))) { path in
            path == "/ask" ? Response(status: 302, headers: ["Location": "/b"], body: "moved") : Response(body: "b")
        }
        XCTAssertEqual(found[0], found[1])
        XCTAssertEqual(found[1].last, "GET /b  ")
        let refused = try await both(Ask(options: RequestOptions(redirects: .sameOrigin()))) { _ in
            Response(status: 302, headers: ["Location": "http://other.test/"], body: "moved")
        }
        XCTAssertEqual(refused[0], refused[1])
        XCTAssertEqual(refused[1][1], "")
    }

    func testTheBodyOfARedirectThatIsTheResponseIsNot() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .text("moved", status: 302).adding(["Location": "/b"]))
        let answer = await stub.configuration.failure(of: Ask<Data>(options: RequestOptions(redirects: .never)))
        XCTAssertEqual(answer?.response?.body, Data("moved".utf8))
    }

    func testARequestThatTransportsRejectIsRefused() async throws {
        let changes = [
            Change { $0.body = EncodedBody(Data("x".utf8)) },
            Change { $0.headers["X"] = "a\r\nB: c" },
            Change { $0.headers["Content-Length"] = "7" },
            Change { $0.method = "GE T" },
        ]
        for change in changes {
            let found = try await both(Ask(), change) { _ in Response() }
            XCTAssertEqual(found[0], found[1])
            XCTAssertTrue(found[1][0].contains("could not be built"), found[1][0])
        }
        let mocked = NetworkConfiguration(
            environment: NetworkEnvironment("https://stub.test"), transport: MockFolder("Fixtures/Mocks", in: .module),
            interceptors: [changes[3]])
        guard case .invalidRequest = await mocked.failure(of: Ask<Data>()) else { return XCTFail("it was sent") }
    }

    func testABodyWithoutATypeHasTheOneThatIsSent() async throws {
        let change = Change { $0.body = EncodedBody(Data("x".utf8)) }
        let found = try await both(Ask(method: .post), change) { _ in Response() }
        XCTAssertEqual(found[0], found[1])
        XCTAssertEqual(found[1].last, "POST /ask application/octet-stream x")
    }

    func testAFailureAfterARedirectMayHaveReachedAServer() async throws {
        let stub = StubServer()
        stub.respond(to: "POST /ask", with: .status(307, headers: ["Location": "/b"]))
        stub.respond(to: "POST /b", with: .refused)
        let error = await stub.configuration.failure(of: Ask<Data>(method: .post, content: "x"))
        guard case .connection(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(failure.mayHaveReachedServer)
        try stub.verify()
    }

    func testAnAttemptHasOneTimeForAllItsRedirects() async throws {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(to: "/ask", with: .status(302, headers: ["Location": "/b"]).delayed(by: .seconds(40)))
        stub.respond(to: "/b", with: .text("late").delayed(by: .seconds(40)))
        let network = stub.configuration
        async let failure = network.failure(of: Ask<Data>())
        for expected in [Duration.seconds(40), .seconds(20)] {
            let moved = await clock.advanceToNextSleeper()
            XCTAssertEqual(moved, expected)
        }
        guard case .timedOut(let timeout) = await failure else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .attempt)
        XCTAssertEqual(timeout.after, .seconds(60))
    }
}
