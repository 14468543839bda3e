import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class BodyComparisonTests: XCTestCase {
    /// Bytes of a type, as another client writes them.
    private struct Written: NetworkEncodable {
        let text: String
        var type = "application/x-www-form-urlencoded"

        func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
            EncodedBody(Data(text.utf8), contentType: type)
        }
    }

    private func difference(
        of body: any NetworkEncodable & Sendable, from expected: any NetworkEncodable & Sendable
    ) async throws -> String? {
        let stub = StubServer()
        try stub.answer(Ask<Data>(method: .post, content: expected), with: .status(204))
        let error = await stub.configuration.failure(of: Ask<Data>(method: .post, content: body))
        return (error?.cause as? UnexpectedRequest)?.differences.first?.description
    }

    func testAnObjectIsToldWithoutItsSecrets() async throws {
        let user = ["user": ["name": "a"]]
        let missing = try await difference(
            of: ["user": ["name": "a"], "till": ["password": "hunter2", "number": "7"]], from: user)
        XCTAssertEqual(missing, #"till in the body is {"number":"7","password":"redacted"}, not expected"#)
        let list = try await difference(of: ["user": [["password": "hunter2"]]], from: user)
        XCTAssertEqual(list, #"user in the body is [{"password":"redacted"}], expected {"name":"a"}"#)
    }
}
