import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

extension RecordService {
    fileprivate static let samples = [
        AuditSample(
            One.fetch(sku: "LP-0042"), success: .json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#),
            failures: [
                .status(404): .notFound, .status(412): .conflict(current: 0), .refused: .network(.cancelled),
                .never: .network(.cancelled), .text("x").cut(after: 0): .network(.cancelled),
            ]),
        AuditSample(
            One.create(Record(sku: "b")), success: .json(#"{"sku": "b", "title": "", "quantity": 0}"#, status: 201)),
        AuditSample(Many.list(title: "Blue", page: 1), success: .json("[]")),
        AuditSample(Nothing.delete(sku: "a"), success: .status(204), failures: [.status(404): .notFound]),
    ]
}

final class AuditTests: TimedTestCase {
    private struct Login: NetworkRequest {
        typealias ValueType = String
        typealias ErrorType = LoginError

        var path: RequestPath = "login"
        var method = HTTPMethod.post
        var password = "hunter2"
        var headers: HTTPHeaders = [:]
        var query: RequestQuery = [:]
        var body: (any NetworkEncodable)? { ["password": password] }
    }

    private enum LoginError: NetworkFailure {
        case refused
        case told(String)

        init(_ error: NetworkError) {
            let body = String(decoding: error.response?.body ?? Data(), as: UTF8.self)
            self = body.isEmpty ? .refused : .told(body)
        }
    }

    private func findings(_ samples: [AuditSample], secrets: [String] = []) -> String? {
        do {
            try audit(samples, secrets: secrets)
            return nil
        } catch {
            return error.description
        }
    }

    func testADomainInOrderPasses() {
        XCTAssertNoThrow(try audit(RecordService.samples))
        XCTAssertNoThrow(try audit([RecordService.One.fetch(sku: "a"), .create(Record(sku: "b"))]))
    }

    func testAllThatIsWrongIsToldAtOnce() {
        let samples = [
            AuditSample(
                RecordService.One.fetch(sku: "a"), success: .json("{}"),
                failures: [
                    .status(412): .notFound, .status(500): .conflict(current: 1), .json("[]"): .notFound,
                    .json(#"{"sku": "a", "title": "", "quantity": 0}"#): .notFound, .refused: .notFound,
                ]),
            AuditSample(RecordService.One.fetch(sku: "")),
            AuditSample(RecordService.Many.list(title: nil, page: 1)),
            AuditSample(Ask<String>(path: "records", query: ["page": 9])),
            AuditSample(Ask<String>(method: .get, content: "x")),
            AuditSample(Ask<String>(method: .trace, content: "x")),
            AuditSample(Ask<String>(method: "CONNECT", content: "x")),
            AuditSample(Ask<String>(baseURL: "ftp://x")),
            AuditSample(
                RecordService.One.fetch(sku: "b"), failures: [.failure(CocoaError(.fileNoSuchFile)): .notFound]),
        ]
        XCTAssertEqual(
            findings(samples),
            """
            The audit of 9 samples found:
            - RecordService.One.fetch: its success is not read as Record: network(The response could not be read as \
            RecordKitTestingTests.Record: the root value has no "sku". It was 200, 2 bytes of application/json, from \
            https://audit.test/records/a.)
            - RecordService.One.fetch: 412 gives InventoryError.conflict, not InventoryError.notFound
            - RecordService.One.fetch: 500 gives InventoryError.network, not InventoryError.conflict
            - RecordService.One.fetch: 200 gives InventoryError.network, not InventoryError.notFound
            - RecordService.One.fetch: 200 gives a value, not InventoryError.notFound
            - RecordService.One.fetch: URLError -1004 gives InventoryError.network, not InventoryError.notFound
            - RecordService.One.fetch: path: a value in "records/" is empty, so the path would mean something else
            - RecordService.Many.list and Ask: both are GET https://audit.test/records with page
            - Ask: body: a GET has no body (RFC 9110 section 9.3); use `query`, or another method
            - Ask: body: a TRACE has no body (RFC 9110 section 9.3); use `query`, or another method
            - Ask: body: a CONNECT has no body (RFC 9110 section 9.3); use `query`, or another method
            - Ask: baseURL: "ftp://x" has a scheme that is neither http nor https
            - RecordService.One.fetch: CocoaError gives InventoryError.network, not InventoryError.notFound
            """)
        XCTAssertEqual(findings([]), "The audit of 0 samples found:\n- The list: it has no samples")
    }

    func testCasesThatReadAlikeAreToldApart() {
        enum Alike: Error, CustomStringConvertible {
            case sold, missing, network(NetworkError)

            var description: String { "It is not there." }
        }
        struct Lookup: NetworkRequest {
            typealias ValueType = Data
            typealias ErrorType = Alike

            let path: RequestPath = "x"

            func handleError(_ error: NetworkError) -> Result<Data, Alike> {
                .failure(error.response?.statusCode == 410 ? .sold : .missing)
            }
        }
        XCTAssertNil(
            findings([
                AuditSample(
                    Lookup(),
                    failures: [.status(410): .sold, .status(404): .missing, .text("x").cut(after: 0): .missing])
            ]))
        XCTAssertNotNil(findings([AuditSample(Lookup(), failures: [.status(404): .sold])]))
        XCTAssertNotNil(findings([AuditSample(Lookup(), failures: [.status(404): .network(.cancelled)])]))
    }

    func testAnErrorThatIsNoEnumIsTheSameWhenItIsEqual() {
        struct Code: NetworkFailure, Equatable, CustomStringConvertible {
            let number: Int

            init(_ number: Int) { self.number = number }
            init(_ error: NetworkError) { number = error.response?.statusCode ?? 0 }
            var description: String { "It failed." }
        }
        struct Lookup: NetworkRequest {
            typealias ValueType = Data
            typealias ErrorType = Code

            let path: RequestPath = "x"
        }
        XCTAssertNil(findings([AuditSample(Lookup(), failures: [.status(404): Code(404)])]))
        XCTAssertEqual(
            findings([AuditSample(Lookup(), failures: [.status(404): Code(410)])]),
            "The audit of 1 sample found:\n- AuditTests.Lookup: 404 gives AuditTests.Code, not AuditTests.Code")
    }

    func testASecretThatIsPrintedIsTold() {
        XCTAssertNil(findings([AuditSample(Login())], secrets: ["hunter2"]))
        let samples = [
            AuditSample(Login(path: "login/\("hunter2")"), failures: [.text("no hunter2", status: 400): .told("")]),
            AuditSample(Login(path: "a/\("s3cret")", headers: ["Authorization": "Bearer s3cret"])),
            AuditSample(Login(path: "b/\("s3cret")", query: ["sig": "s3cret"])),
        ]
        XCTAssertEqual(
            findings(samples, secrets: ["", "hunter2"]),
            """
            The audit of 3 samples found:
            - AuditTests.Login: it prints value 1 of `secrets`
            - AuditTests.Login: it prints the value of its header Authorization
            - AuditTests.Login: it prints the value of its query item sig
            """)
        // Also if the error contains it.
        XCTAssertNotNil(
            findings(
                [AuditSample(Login(), failures: [.text("no hunter2", status: 400): .told("")])], secrets: ["hunter2"]))
        XCTAssertNil(
            findings([AuditSample(Login(), failures: [.status(400): .refused])], secrets: ["hunter2"]))
    }
}
