import Foundation
import RecordKit
import RecordKitTesting
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class StubRequestTests: XCTestCase {
    func testNothingThatIsPrintedHoldsASecret() async throws {
        let stub = StubServer()
        stub.answer("/ask", with: .status(204))
        let ask = Ask<Data>(
            method: .post, query: ["api_key": "hunter2"], headers: ["Authorization": "hunter2"],
            content: ["password": "hunter2"])
        _ = try await stub.configuration.value(for: ask)

        let request = try XCTUnwrap(stub.requests.first)
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(stub.requests)"] {
            XCTAssertTrue(text.contains("redacted"), text)
            XCTAssertFalse(text.contains("hunter2"), text)
        }
        XCTAssertTrue(dumped.contains("22 bytes"), dumped)
    }

    func testWhatCameInsteadIsToldWithoutSecrets() async throws {
        let stub = SessionStub(answers: [.status(200)])
        let server = try LoopbackServer(answers: [.status(200)])
        for (base, configuration) in [
            ("https://a.test", stub.sessionConfiguration), (server.url.absoluteString, .ephemeral),
        ] {
            _ = try await NetworkConfiguration(transport: URLSessionTransport(configuration))
                .value(for: Ask<Data>(baseURL: base, path: "a", query: ["token": "hunter2", "page": 1]))
        }
        let missing = await failure { () async throws(WaitingError) in
            try await stub.request(at: 1, within: .milliseconds(1))
        }
        XCTAssertEqual(
            missing,
            .timedOut(
                waitingFor: "request 1", limit: .milliseconds(1),
                received: ["GET https://a.test/a?token=redacted&page=1"]))
        let unseen = await failure { () async throws(WaitingError) in
            try await server.request(at: 1, within: .milliseconds(1))
        }
        XCTAssertEqual(
            unseen,
            .timedOut(
                waitingFor: "request 1", limit: .milliseconds(1), received: ["GET /a?token=redacted&page=1"]))
    }

    func testASessionGetsEveryValueOfANameInWhateverCase() async throws {
        let stub = StubServer()
        var headers: HTTPHeaders = ["X-Many": "1"]
        headers.add("x-many", "2")
        stub.answer("/ask", with: .status(204, headers: headers))
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let (_, response) = try await URLSession(configuration: stub.sessionConfiguration).data(from: url)
        XCTAssertEqual((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Many"), "1, 2")
    }
}
