import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class StubRequestTests: TimedTestCase {
    func testNothingThatIsPrintedHoldsASecret() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(204))
        let ask = Ask<Data>(
            method: .post, query: ["api_key": "hunter2"], headers: ["Authorization": "hunter2"],
            content: ["password": "hunter2"])
        _ = try await NetworkSession(stub.configuration).value(for: ask)

        let request = try XCTUnwrap(stub.requests.first)
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(stub.requests)"] {
            XCTAssertTrue(text.contains("redacted"), text)
            XCTAssertFalse(text.contains("hunter2"), text)
        }
        XCTAssertTrue(dumped.contains("22 bytes"), dumped)
    }

    func testASessionGetsEveryValueOfANameInWhateverCase() async throws {
        let stub = StubServer()
        var headers: HTTPHeaders = ["X-Many": "1"]
        headers.add("x-many", "2")
        stub.respond(to: "/ask", with: .status(204, headers: headers))
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let (_, response) = try await URLSession(configuration: stub.sessionConfiguration).data(from: url)
        XCTAssertEqual((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Many"), "1, 2")
    }

    func testARequestBeforeTheFirstNeverComes() async throws {
        let (stub, server) = (StubServer(), try LoopbackServer(responses: []))
        let errors = [
            await failure { () async throws(WaitingError) in _ = try await stub.request(at: -1, within: .zero) },
            await failure { () async throws(WaitingError) in _ = try await server.request(at: -1, within: .zero) },
        ]
        XCTAssertEqual(
            errors.map { $0?.description },
            Array(
                repeating: "Timed out after 0.0 seconds while waiting for request -1. No request was received.",
                count: 2))
    }
}
