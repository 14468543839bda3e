import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RequestOptionsTests: TimedTestCase {
    private let html: StubResponse = .status(
        200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data("<html>Sign in to the hotel</html>".utf8)
    )

    func testTheRequestWinsOverTheConfigurationWhichWinsOverTheDefaults() throws {
        var own = RequestOptions(timeout: .seconds(1))
        own.retry = .always
        var configured = RequestOptions(
            timeout: .seconds(2), deadline: .seconds(3), sizeLimit: 5, redirects: .never, expectedType: "text/csv")
        configured.retry = .never
        var filled = configured
        filled.timeout = .seconds(1)
        filled.retry = .always
        let call = try Ask<Data>(options: own).call(
            in: NetworkConfiguration(
                environment: "https://store.example", transport: CannedTransport(), options: configured))
        XCTAssertEqual(call.options, filled)
        XCTAssertEqual(try Ask<Data>().call(in: "https://store.example").options, RequestOptions())
    }

    func testOptionsOfSeveralModulesAreSetTogether() {
        let options = RequestOptions(timeout: .seconds(5)) {
            $0.retry = .never
            $0.authorization = .optional
        }
        XCTAssertEqual(options.timeout, .seconds(5))
        XCTAssertEqual(options.retry, .never)
        XCTAssertEqual(options.authorization, .optional)
    }

    func testAPageInPlaceOfTheResponseIsAClearError() async throws {
        let server = try LoopbackServer(responses: [html])
        let options = RequestOptions(expectedType: "application/json")
        let manager = NetworkManager<Ask<Data>>(
            NetworkConfiguration(server.url, interceptors: [Pass()], options: options))
        let error = await manager.failure(of: Ask())
        let result = await manager.dataTaskResult(for: Ask(), skippingInterceptors: true)
        for error in [error, result.failure] {
            guard case .decoding(let failure) = error,
                case .unexpectedType(let type, let expected) = failure.cause as? NetworkResponse.ReadingError
            else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(expected, "application/json")
            XCTAssertEqual(type?.essence, "text/html")
            XCTAssertTrue(failure.description.contains("sign-in"), failure.description)
            XCTAssertFalse(failure.description.contains("hotel"))
        }
        XCTAssertEqual(server.requests.first?.header("Accept"), "application/json, */*;q=0.5")
    }

    private struct Pass: NetworkInterceptor {
        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            try await next(call)
        }
    }

    func testADecoderThatMeetsAPageSaysSoUnasked() async throws {
        let server = try LoopbackServer(responses: [html])
        let configuration = NetworkSession(NetworkConfiguration(server.url))
        let error = await configuration.failure(of: Shop.One.fetch(sku: "a"))
        guard case .decoding(let failure) = error?.network else { return XCTFail("\(String(describing: error))") }
        guard case .unexpectedType(let type, "application/json") = failure.cause as? NetworkResponse.ReadingError else {
            return XCTFail("\(failure.cause)")
        }
        XCTAssertEqual(type?.essence, "text/html")
    }

    func testExpectedAndReceivedTypes() async throws {
        let table: [(expected: String?, received: String?, isFine: Bool)] = [
            (nil, "text/html", true), ("*/*", "text/html", true), ("application/json", "application/json", true),
            ("application/json", "application/problem+json; charset=utf-8", true),
            ("application/json", "Application/JSON", true), ("application/vnd.shop+json", "application/json", true),
            ("application/json", "text/plain", false), ("application/json", nil, true),
            ("application/json", "no type", true), ("application/xml", "text/xml", true),
            ("application/xml", "application/rss+xml", true), ("application/xml", "application/json", false),
            ("application/xml", "text/html", false), ("application/xml", "application/xhtml+xml", false),
            ("image/*", "image/png", true), ("image/*", "text/html", false), ("text/csv", "text/csv", true),
            ("text/csv", "text/html", false), ("*/*;q=0.9", "text/html", true),
        ]
        for row in table {
            let headers: HTTPHeaders = row.received.map { ["Content-Type": $0] } ?? [:]
            let configuration = NetworkSession(CannedTransport(headers: headers, body: "x"))
            let ask = Ask<Data>(options: RequestOptions(expectedType: row.expected))
            assertEqual(await configuration.failure(of: ask) == nil, row.isFine, "\(row)")
        }
    }

    func testStatusesThatAreNoSuccessAndEmptyBodiesAreNotLookedAt() async throws {
        for (status, body) in [(404, "<html>"), (204, ""), (200, "")] {
            let configuration = NetworkSession(
                CannedTransport(status: status, headers: ["Content-Type": "text/html"], body: body))
            let ask = Ask<Data>(options: RequestOptions(expectedType: "application/json"))
            let error = await configuration.failure(of: ask)
            XCTAssertEqual(error?.response?.statusCode, status == 404 ? 404 : nil)
            if case .decoding = error { XCTFail("\(status)") }
        }
    }

    /// They are refused when the call is made, and if an interceptor or the caller sets them later.
    func testOptionsThatCannotBe() async {
        let table: [(RequestOptions, String)] = [
            (RequestOptions(timeout: .zero), "timeout"), (RequestOptions(timeout: .milliseconds(-1)), "timeout"),
            (RequestOptions(deadline: .seconds(-1)), "deadline"),
            (RequestOptions(deadline: Duration(attoseconds: .min)), "deadline"),
            (RequestOptions(sizeLimit: -1), "size limit"), (RequestOptions(expectedType: "json"), "expected type"),
            (RequestOptions(expectedType: "a/b\r\nX: y"), "expected type"),
            (RequestOptions(expectedType: "a/b; c=\"\u{1}\""), "expected type"),
        ]
        let session = NetworkSession("https://store.example", transport: CannedTransport(status: 200))
        for (options, expected) in table {
            let later = await session.result(for: Ask<Data>()) { $0.options = options }
            for error in [await session.failure(of: Ask<Data>(options: options)), later.failure] {
                guard case .invalidRequest(let failure)? = error else { return XCTFail(expected) }
                XCTAssertEqual(failure.member, .options)
                XCTAssertTrue(failure.reason.contains(expected), failure.reason)
            }
        }
    }
}
