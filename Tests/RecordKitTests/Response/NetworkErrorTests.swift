import Foundation
import RecordKitTesting
import XCTest

@testable import RecordKit

final class NetworkErrorTests: XCTestCase {
    private func status(_ code: Int) -> NetworkError {
        .status(NetworkResponse(statusCode: code, url: URL(filePath: "/")))
    }

    private func connection(_ kind: ConnectionFailure.Kind, reached: Bool = true) -> NetworkError {
        .connection(ConnectionFailure(kind: kind, host: "a.example:443", mayHaveReachedServer: reached))
    }

    func testARequestThatCannotBeSentAsItWasBuiltSaysSo() {
        let error = NetworkError.invalidRequest(InvalidRequest(request: "A.b", member: .body, reason: "it changed"))
        XCTAssertEqual(error.description, "A.b could not be built: body: it changed.")
        XCTAssertEqual(error.afterReachingServer().description, "A.b could not be sent: body: it changed.")
    }

    func testWhichErrorsMayPass() {
        for code in [408, 425, 429, 500, 502, 503, 504] { XCTAssertTrue(status(code).isTransient, "\(code)") }
        for code in [400, 401, 403, 404, 409, 412, 501] { XCTAssertFalse(status(code).isTransient, "\(code)") }
        for kind in [ConnectionFailure.Kind.lost, .refused, .nameNotFound, .notConnected] {
            XCTAssertTrue(connection(kind).isTransient, "\(kind)")
        }
        XCTAssertFalse(connection(.tls(.expired)).isTransient)
        XCTAssertTrue(NetworkError.timedOut(Timeout(limit: .attempt, after: .seconds(1), host: "a:1")).isTransient)
        XCTAssertFalse(NetworkError.timedOut(Timeout(limit: .deadline, after: .seconds(1), host: "a:1")).isTransient)
        XCTAssertFalse(NetworkError.cancelled.isTransient)
    }

    func testWhatCertainlyDidNotReachTheServer() {
        func timeout(_ reached: Bool) -> NetworkError {
            .timedOut(Timeout(limit: .attempt, after: .seconds(1), host: "a:1", mayHaveReachedServer: reached))
        }
        for error in [connection(.lost, reached: false), timeout(false)] {
            XCTAssertFalse(error.mayHaveReachedServer, "\(error)")
        }
        XCTAssertFalse(NetworkError.invalidRequest(InvalidRequest(member: .path, reason: "")).mayHaveReachedServer)
        for error in [connection(.lost), timeout(true), .cancelled, status(500)] {
            XCTAssertTrue(error.mayHaveReachedServer, "\(error)")
        }
    }

    func testARefusedRedirectIsAnAnswerToo() {
        let response = NetworkResponse(statusCode: 302, url: URL(filePath: "/"))
        let refusal = RedirectRefusal(reason: .loop, response: response, location: "/")
        XCTAssertEqual(NetworkError.redirectRefused(refusal).response?.statusCode, 302)
    }

    func testEveryErrorSaysWhatAndWhere() {
        let errors: [(NetworkError, String)] = [
            (connection(.refused), "a.example:443"),
            (connection(.tls(.wrongHost)), "another host"),
            (.timedOut(Timeout(limit: .attempt, after: .milliseconds(1500), host: "a.example:80")), "1.5 s"),
            (.tooLarge(TooLarge(limit: 10, host: "a.example:80")), "10 bytes"),
            (.invalidRequest(InvalidRequest(request: "Shop.fetch", member: .query, reason: "it is wrong")), "query"),
            (.interceptor(InterceptorFailure(interceptor: "Retry", reason: "enough")), "Retry"),
            (status(503), "503"),
        ]
        for (error, part) in errors {
            XCTAssertTrue(error.description.contains(part), error.description)
            XCTAssertEqual(error.localizedDescription, error.description)
            XCTAssertTrue(error.description.hasSuffix("."), error.description)
        }
    }

    func testAnErrorIsItsOwnFailure() {
        guard case .cancelled = NetworkError(.cancelled) else { return XCTFail("changed") }
    }

    func testASecretThatTheAppNamesIsNotPrintedWhateverTheTransport() async {
        let transport = CannedTransport(status: 404, headers: ["X-Till": "s3cret"])
        var network = NetworkConfiguration(
            environment: NetworkEnvironment("https://store.example"), transport: transport)
        network.secretNames = ["till", "X-Till"]

        let error = await failure { () async throws(NetworkError) in
            try await network.value(for: Ask<Data>(query: ["till": "s3cret"]))
        }

        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(String(describing: error))", dumped] {
            XCTAssertTrue(text.contains("till=redacted"), text)
            XCTAssertFalse(text.contains("s3cret"), text)
        }
    }

    func testACredentialThatTheServerQuotesIsNotPrinted() async throws {
        let type = "application/problem+json"
        let server = try LoopbackServer { request in
            let said = #"{"detail": "\#(request.header("Authorization") ?? "") with a/s3cret"}"#
            return .status(401, headers: ["Content-Type": type], body: Data(said.utf8))
        }
        let transport = CannedTransport { call throws(NetworkError) in
            let said = #"{"detail": "\#(call.headers["Authorization"] ?? "") with a/s3cret"}"#
            return NetworkResponse(
                statusCode: 401, headers: ["Content-Type": type], body: Data(said.utf8), url: call.url)
        }
        let ask = Ask<Data>(query: ["till": "a/s3cret"], headers: ["Authorization": "Bearer s3cret-token"])
        var network = NetworkConfiguration(server.url)
        network.secretNames = ["till"]
        var inProcess = NetworkConfiguration(environment: network.environment, transport: transport)
        inProcess.secretNames = ["till"]
        // A transport may hand on what another received, with headers of its own.
        var filtered = network
        filtered.transport = CannedTransport { [transport = network.transport] call throws(NetworkError) in
            var response = try await transport.send(call)
            response.headers = HTTPHeaders(response.headers.fields)
            return response
        }

        let byTask = await withCheckedContinuation { continuation in
            NetworkManager<Ask<Data>>(network).request(ask) { continuation.resume(returning: $0) }
        }
        let errors: [NetworkError?] = [
            await failure { () async throws(NetworkError) in try byTask.get() },
            await failure { () async throws(NetworkError) in try await network.value(for: ask) },
            await failure { () async throws(NetworkError) in try await inProcess.value(for: ask) },
            await failure { () async throws(NetworkError) in try await filtered.value(for: ask) },
        ]
        for error in errors {
            let text = try XCTUnwrap(error).description
            XCTAssertTrue(text.hasSuffix("It says: redacted with redacted"), text)
        }
    }

    func testALongCredentialThatTheServerQuotesIsNotPrinted() async throws {
        let token = String(repeating: "s3cret/", count: 3_000)
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(
                statusCode: 401, headers: ["Content-Type": "application/problem+json"],
                body: Data("{\"detail\": \"no \(token)\"}".utf8), url: call.url)
        }
        let network = NetworkConfiguration(
            environment: NetworkEnvironment("https://store.example"), transport: transport)
        let error = await failure { () async throws(NetworkError) in
            try await network.value(for: Ask<Data>(headers: ["Authorization": "Bearer \(token)"]))
        }
        let text = try XCTUnwrap(error).description
        XCTAssertTrue(text.hasSuffix("It says: no redacted"), text)
    }

    func testACredentialThatTheServerMakesANameIsNotPrinted() async throws {
        struct AskCounts: NetworkRequest {
            typealias ValueType = [String: Int]
            typealias ErrorType = NetworkError
            var path: RequestPath { "counts" }
            let headers: HTTPHeaders
        }
        func network(_ body: String) -> NetworkConfiguration {
            NetworkConfiguration(
                environment: NetworkEnvironment("https://store.example"), transport: CannedTransport(body: body))
        }
        let headers: HTTPHeaders = ["Authorization": "Bearer s3cret-token"]
        let counts = await failure { () async throws(NetworkError) in
            try await network(#"{"s3cret-token": ""}"#).value(for: AskCounts(headers: headers))
        }
        let tree = await failure { () async throws(NetworkError) in
            try await network("<s3cret-token").value(for: Ask<XMLTree>(headers: headers))
        }
        for error in [counts, tree] {
            let text = try XCTUnwrap(error).description
            XCTAssertTrue(text.contains("redacted"), text)
            XCTAssertFalse(text.contains("s3cret"), text)
        }
    }

    func testALongReasonOfAServersIsQuotedInAMoment() throws {
        let detail = String(repeating: "?a=b&c", count: 6_000_000)
        let response = NetworkResponse(
            statusCode: 503, headers: ["Content-Type": "application/problem+json"],
            body: Data("{\"detail\": \"\(detail)\"}".utf8), url: try XCTUnwrap(URL(string: "https://a.example")))
        let begin = ContinuousClock.now
        let text = "\(NetworkError.status(response))"
        XCTAssertTrue(text.contains("?a=b&c?a=b&c"), String(text.prefix(200)))
        XCTAssertLessThan(text.count, 2_000)
        XCTAssertLessThan(ContinuousClock.now - begin, .seconds(30))
    }
}
