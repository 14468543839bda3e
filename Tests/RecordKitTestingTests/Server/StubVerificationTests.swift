import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The verification at the end of a test.
final class StubVerificationTests: TimedTestCase {
    func testStubsThatWereNotAskedAreNamed() async throws {
        let stub = StubServer()
        stub.respond(to: "GET /never", with: .status(200))
        try stub.respond(to: RecordService.One.fetch(sku: "a"), with: .status(503), .status(503), .json("{}"))
        let network = NetworkSession(stub.configuration)
        _ = try? await network.value(for: RecordService.One.fetch(sku: "a"))
        _ = await network.failure(of: Ask<Data>())

        XCTAssertThrowsError(try stub.verify()) { error in
            XCTAssertEqual(
                "\(error)",
                """
                The stub GET /never received no request.
                The stub RecordService.One.fetch (GET /records/a) sent 1 of its 3 responses.
                No stub expects GET https://stub.test/ask. The nearest is GET /never: \
                the path is /ask, expected /never.
                """)
        }
    }

    func testWithStubsTellsOfARequestThatTheTestSwallowed() async throws {
        struct Own: Error {}
        let error = await failure {
            try await withStubs { stub in
                _ = await stub.configuration.failure(of: Ask<Data>())
                throw Own()
            }
        }
        XCTAssertEqual(
            "\(try XCTUnwrap(error))",
            """
            No stub expects GET https://stub.test/ask. There are no stubs.
            The test threw: Own()
            """)
        let unused = await failure {
            try await withStubs { $0.respond(to: "/a", with: .status(200)) }
        }
        XCTAssertEqual("\(try XCTUnwrap(unused))", "The stub /a received no request.")
        let own = await failure { try await withStubs { _ in throw Own() } }
        XCTAssertTrue(own is Own)
        let reported = await failure {
            try await withStubs(report: { _ in }) { stub in
                _ = await stub.configuration.failure(of: Ask<Data>())
                throw Own()
            }
        }
        XCTAssertTrue(reported is Own)
    }

    func testAReporterIsToldInsteadOfAThrow() async throws {
        let notes = Kept<[String]>([])
        try await withStubs(report: notes.add) { _ in }
        XCTAssertEqual(notes.now, [])
        try await withStubs(report: notes.add) { stub in
            stub.respond(to: "/a", with: .status(200))
            _ = await stub.configuration.failure(of: Ask<Data>())
            XCTAssertEqual(notes.now.count, 1)
        }
        XCTAssertEqual(
            notes.now,
            [
                "No stub expects GET https://stub.test/ask. The nearest is /a: the path is /ask, expected /a.",
                "The stub /a received no request.",
            ])
    }
}
