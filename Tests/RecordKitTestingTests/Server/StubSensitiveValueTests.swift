import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// No sensitive value is printed.
final class StubSecretTests: TimedTestCase {
    func testNoDifferenceQuotesASensitiveValue() async throws {
        func ask(_ secret: String) -> [Ask<Data>] {
            let address = "https://a.test/?pin=\(secret)&page=2"
            return [
                Ask(headers: ["Referer": address]), Ask(headers: ["Pin": secret]), Ask(query: ["pin": secret]),
                Ask(method: .post, content: ["pin": secret]),
                Ask(method: .post, content: FormBody(["pin": secret])),
            ]
        }
        for (expected, asked) in zip(ask("first"), ask("hunter2")) {
            let stub = StubServer()
            try stub.respond(to: expected, with: .status(204))
            var network = stub.configuration
            network.sensitiveNames = ["pin"]
            let error = await network.failure(of: asked)
            let difference = try XCTUnwrap((error?.cause as? UnexpectedRequest)?.differences.first)
            XCTAssertEqual(difference.received, "redacted")
            XCTAssertEqual(difference.expected, "another value")
        }
    }

    func testSensitiveNamesOfTheAppAreNotPrinted() async throws {
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(204, headers: ["Pin": "hunter2"]))
        var network = stub.configuration
        network.sensitiveNames = ["pin"]
        let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>(query: ["pin": "hunter2"]))
        var dumped = ""
        dump(stub.requests, to: &dumped)
        for text in [dumped, String(reflecting: response), "\(response.headers)"] {
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }
}
