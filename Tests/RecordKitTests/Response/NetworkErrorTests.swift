import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit
import RecordKitInterceptors

final class NetworkErrorTests: TimedTestCase {
    private func status(_ code: Int) -> NetworkError {
        .status(NetworkResponse(statusCode: code, url: URL(filePath: "/")))
    }

    private func connection(_ kind: NetworkError.ConnectionFailure.Kind, reached: Bool = true) -> NetworkError {
        .connection(NetworkError.ConnectionFailure(kind: kind, host: "a.example:443", mayHaveReachedServer: reached))
    }

    func testARequestThatCannotBeSentAsItWasBuiltSaysSo() {
        let error = NetworkError.invalidRequest(
            NetworkError.InvalidRequest(request: "A.b", member: .body, reason: "it changed"))
        XCTAssertEqual(error.description, "A.b could not be built: body: it changed.")
        XCTAssertEqual(error.afterReachingServer().description, "A.b could not be sent: body: it changed.")
    }

    func testWhichErrorsMayPass() {
        for code in [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527, 530] {
            XCTAssertTrue(status(code).isTransient, "\(code)")
        }
        for code in [400, 401, 403, 404, 409, 412, 501, 505, 511, 519, 525, 526, 528, 529, 531] {
            XCTAssertFalse(status(code).isTransient, "\(code)")
        }
        for kind in [NetworkError.ConnectionFailure.Kind.lost, .refused, .nameNotFound, .notConnected] {
            XCTAssertTrue(connection(kind).isTransient, "\(kind)")
        }
        XCTAssertFalse(connection(.tls(.expired)).isTransient)
        XCTAssertTrue(
            NetworkError.timedOut(NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "a:1")).isTransient)
        XCTAssertFalse(
            NetworkError.timedOut(NetworkError.Timeout(limit: .deadline, after: .seconds(1), host: "a:1")).isTransient)
        XCTAssertFalse(NetworkError.cancelled.isTransient)
        XCTAssertTrue(NetworkError.cancelled.isCancelled)
        XCTAssertFalse(connection(.lost).isCancelled)
        let file = NetworkError.FileFailure(fileName: "a.zip", reason: .noSpace)
        XCTAssertFalse(NetworkError.file(file).isTransient)
    }

    func testErrorsThatDidNotReachTheServer() {
        func timeout(_ reached: Bool) -> NetworkError {
            .timedOut(
                NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "a:1", mayHaveReachedServer: reached))
        }
        for error in [connection(.lost, reached: false), timeout(false)] {
            XCTAssertFalse(error.mayHaveReachedServer, "\(error)")
        }
        XCTAssertFalse(
            NetworkError.invalidRequest(NetworkError.InvalidRequest(member: .path, reason: "")).mayHaveReachedServer)
        for error in [connection(.lost), timeout(true), .cancelled, status(500)] {
            XCTAssertTrue(error.mayHaveReachedServer, "\(error)")
        }
    }

    func testARefusedRedirectHasAResponse() {
        let response = NetworkResponse(statusCode: 302, url: URL(filePath: "/"))
        let refusal = NetworkError.RedirectRefusal(reason: .loop, response: response, location: "/")
        XCTAssertEqual(NetworkError.redirectRefused(refusal).response?.statusCode, 302)
    }

    func testEveryErrorSaysWhatAndWhere() {
        let errors: [(NetworkError, String)] = [
            (connection(.refused), "a.example:443"),
            (connection(.tls(.wrongHost)), "another host"),
            (
                .timedOut(NetworkError.Timeout(limit: .attempt, after: .milliseconds(1500), host: "a.example:80")),
                "1.5 s"
            ),
            (.tooLarge(NetworkError.TooLarge(limit: 10, host: "a.example:80")), "10 bytes"),
            (
                .invalidRequest(
                    NetworkError.InvalidRequest(request: "Shop.fetch", member: .query, reason: "it is wrong")), "query"
            ),
            (.interceptor(NetworkError.InterceptorFailure(interceptor: "RetryInterceptor", reason: "enough")), "Retry"),
            (status(503), "503"),
            (.file(NetworkError.FileFailure(fileName: "a.zip", reason: .notPermitted)), "a.zip"),
        ]
        for (error, part) in errors {
            XCTAssertTrue(error.description.contains(part), error.description)
            XCTAssertEqual(error.localizedDescription, error.description)
            XCTAssertTrue(error.description.hasSuffix("."), error.description)
        }
    }

    func testASecretThatTheAppNamesIsNotPrintedWhateverTheTransport() async {
        let transport = CannedTransport(status: 404, headers: ["X-Till": "s3cret"])
        var network = NetworkConfiguration(transport)
        network.sensitiveNames = ["till", "X-Till"]

        let error = await NetworkSession(network).failure(of: Ask<Data>(query: ["till": "s3cret"]))

        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(String(describing: error))", dumped] {
            XCTAssertTrue(text.contains("till=redacted"), text)
            XCTAssertFalse(text.contains("s3cret"), text)
        }
    }

    func testNoValueOfABodyIsQuoted() async throws {
        let transport = CannedTransport(
            headers: ["Content-Type": "application/json"], body: #"{"sku": "LP-0042", "quantity": "s3cret"}"#)
        let network = NetworkSession(NetworkConfiguration(transport))
        let error = await network.failure(of: Shop.One.fetch(sku: "LP-0042"))
        let text = try XCTUnwrap(error?.network).description
        XCTAssertTrue(text.contains("Item"), text)
        XCTAssertTrue(text.contains("quantity"), text)
        XCTAssertFalse(text.contains("s3cret"), text)
    }

    // MARK: Localized descriptions

    private enum PlainError: NetworkFailure {
        case notFound
        case httpFailed(NetworkError)
        case refused(code: Int, NetworkError?)
        case conflict(current: Item)

        init(_ error: NetworkError) { self = .httpFailed(error) }
    }

    private enum DescribedError: NetworkFailure, CustomStringConvertible {
        case notFound

        init(_ error: NetworkError) { self = .notFound }
        var description: String { "No such record." }
    }

    private enum OwnError: NetworkFailure {
        case notFound

        init(_ error: NetworkError) { self = .notFound }
        var errorDescription: String? { "We don't have it." }
        var recoverySuggestion: String? { "Try another shop." }
    }

    private struct ErrorOfAStruct: NetworkFailure {
        var cause: NetworkError

        init(_ error: NetworkError) { cause = error }
    }

    func testTheLocalizedDescription() {
        let cancelled = NetworkError.cancelled
        let table: [(any NetworkFailure, String)] = [
            (PlainError.notFound, "Not found."),
            (PlainError.conflict(current: Item(sku: "s3cret", quantity: 1)), "Conflict."),
            (PlainError.httpFailed(cancelled), cancelled.description),
            (PlainError.refused(code: 1, cancelled), cancelled.description),
            (PlainError.refused(code: 1, nil), "Refused."), (DescribedError.notFound, "No such record."),
            (OwnError.notFound, "We don't have it."), (ErrorOfAStruct(cancelled), cancelled.description),
            (cancelled, cancelled.description),
        ]
        for (error, expected) in table { XCTAssertEqual(error.localizedDescription, expected) }
        XCTAssertEqual((OwnError.notFound as NSError).localizedRecoverySuggestion, "Try another shop.")
        XCTAssertNil(PlainError.notFound.recoverySuggestion)
    }

    func testPrintStaysAsItIs() {
        XCTAssertEqual("\(PlainError.notFound)", "notFound")
        XCTAssertEqual("\(PlainError.refused(code: 1, nil))", "refused(code: 1, nil)")
    }
}
