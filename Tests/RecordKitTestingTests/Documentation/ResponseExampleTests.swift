import Foundation
import RecordKit
import RecordKitDigest
import RecordKitSigning
import RecordKitStreaming
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the snippets of `ResponseExamples` and `ErrorExamples`.
final class ResponseExampleTests: TimedTestCase {
    private let record = Record(sku: "LP-0042", quantity: 3)
    private let store = NetworkEnvironment(host: "api.store.example")

    func testARecordIsSavedAtTheVersionThatItWasReadAt() async throws {
        let stub = StubServer()
        stub.respond(to: "GET /records/LP-0042", with: try .json(encoding: record).adding(["ETag": "\"7\""]))
        stub.respond(
            to: StubPattern(.put, "/records/LP-0042", headers: ["If-Match": "\"7\""]),
            with: try .json(encoding: record).adding(["ETag": "\"8\""]), .status(412))
        let copies = NetworkManager<VersionedRecords>(stub.configuration)

        let copy = try await copies.value(for: .fetch(sku: "LP-0042"))
        let saved = try await copies.value(for: .save(copy))
        XCTAssertEqual(saved.version, "\"8\"")
        let error = await copies.failure(of: .save(copy))
        guard case .conflict = error else { return XCTFail("\(String(describing: error))") }
        try stub.verify()
    }

    func testARecordThatHasNotChangedIsNil() async throws {
        let stub = StubServer()
        stub.respond(to: StubPattern(.get, "/records/LP-0042", headers: ["If-None-Match": "\"7\""]), with: .status(304))
        stub.respond(
            to: StubPattern(.get, "/records/LP-0042", headers: ["If-None-Match": "\"6\""]),
            with: try .json(encoding: record))
        let records = NetworkManager<ChangedRecord>(stub.configuration)

        let same = try await records.value(for: .fetch(sku: "LP-0042", unlessStill: "\"7\""))
        let changed = try await records.value(for: .fetch(sku: "LP-0042", unlessStill: "\"6\""))

        XCTAssertNil(same)
        XCTAssertEqual(changed, record)
    }

    func testAllPagesInTurn() async throws {
        let stub = StubServer(environment: store)
        let next = "\(store.baseURL)/more?_token=a%2Fb"
        stub.respond(
            to: "/releases?label=4AD&per_page=100",
            with: try .json(encoding: [Record(sku: "a")]).adding(["Link": "<\(next)>; rel=\"next\""]))
        stub.respond(to: "/more?_token=a%2Fb", with: try .json(encoding: [Record(sku: "b")]))
        let releases = NetworkManager(stub.configuration).items(for: PaginationExamples.Releases.all(label: "4AD"))
        let skus = try await releases.collect().map(\.sku)
        XCTAssertEqual(skus, ["a", "b"])
    }

    func testPagesOfACursor() async throws {
        let stub = StubServer(environment: store)
        stub.respond(to: "/sales", with: .json(#"{"sales": [{"sku": "a"}], "cursor": "7"}"#))
        stub.respond(to: "/sales?cursor=7", with: .json(#"{"sales": [{"sku": "b"}]}"#))
        let sales = try await NetworkManager(stub.configuration).items(for: PaginationExamples.Sales()).collect()
        XCTAssertEqual(sales.map(\.sku), ["a", "b"])
    }

    func testErrorsOfADomain() throws {
        let call = NetworkCall(url: try XCTUnwrap(URL(string: "https://api.store.example/sales")))
        func error(_ status: Int, _ type: String, _ body: String) -> SaleError {
            SaleError(
                .status(
                    NetworkResponse(
                        statusCode: status, headers: ["Content-Type": type], body: Data(body.utf8), url: call.url)))
        }

        guard case .tooFew(available: 2) = error(409, "application/json", #"{"available": 2}"#) else {
            return XCTFail("no shortage")
        }
        guard case .refused("closed") = error(409, "application/problem+json", #"{"detail": "closed"}"#) else {
            return XCTFail("no detail")
        }
        guard case .network = error(500, "text/plain", "oops") else { return XCTFail("no status") }
    }

    func testASignInHasEndedOnlyWhereItsServerSaysSo() async throws {
        let revoked = StubResponse.json(#"{"error": "invalid_grant"}"#, status: 400)
        for (answer, hasEnded) in [(revoked, true), (.status(503), false), (.refused, false)] {
            let stub = StubServer(environment: store)
            stub.respond(to: "/sales", with: .status(401))
            stub.respond(to: "/token", with: answer)
            var configuration = stub.configuration
            let kept = MemoryTokenStore(TokenSet("old", refreshToken: "once"))
            let client = OAuthClient(
                "till-7", at: OAuthServer(tokenURL: store.baseURL + "/token"),
                network: NetworkSession(stub.configuration))
            configuration.interceptors = [
                AuthorizationInterceptor(client.tokens(in: kept), for: .origin(store.baseURL))
            ]
            let error = await NetworkSession(configuration).failure(of: Sales.list)
            switch error {
            case .signedOut: XCTAssertTrue(hasEnded)
            case .network: XCTAssertFalse(hasEnded)
            case .tooFew, .refused, nil: XCTFail("\(String(describing: error))")
            }
        }
    }

    func testAnErrorWithinASuccess() async throws {
        let stub = StubServer()
        stub.respond(
            to: "POST /graphql", with: .json(#"{"data": {"quantity": 3}}"#),
            .json(#"{"data": null, "errors": [{"message": "no such record"}]}"#), .json("{}"),
            .text("oops", status: 500))
        let network = NetworkSession(stub.configuration)
        let query = Query<[String: Int]>(text: "{ record { quantity } }")

        let value = try await network.value(for: query)
        XCTAssertEqual(value, ["quantity": 3])
        for refused in ["no such record", "neither data nor errors"] {
            let error = await network.failure(of: query)
            guard case .refused(refused) = error else { return XCTFail("\(String(describing: error))") }
        }
        let error = await network.failure(of: query)
        guard case .network(.status) = error else { return XCTFail("\(String(describing: error))") }
    }

    func testEachRequestIsSigned() async throws {
        let stub = StubServer(
            environment: store, clock: ManualClock(date: Date(timeIntervalSince1970: 0)).networkClock)
        stub.respond(to: "/records", with: try .json(encoding: record))
        let key = Data("key".utf8)
        for scope: CredentialScope in ["https://api.store.example", "https://elsewhere.example"] {
            var configuration = stub.configuration
            configuration.interceptors = [Signature(key: key, scope: scope)]
            _ = try await NetworkSession(configuration).value(for: RecordService.One.create(record))
        }

        let headers = stub.requests.map(\.headers)
        let start = "POST https://api.store.example/records\nThu, 01 Jan 1970 00:00:00 GMT\n"
        let text = Data(start.utf8) + stub.requests[0].body
        XCTAssertEqual(headers[0]["X-Signature"], HMAC.of(text, .sha256, key: key).hexadecimal)
        XCTAssertTrue(headers[0].isSensitive("X-Signature"))
        XCTAssertNil(headers[1]["X-Signature"])
    }

    private enum Sales: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = SaleError

        case list

        var path: RequestPath { "sales" }
    }
}
