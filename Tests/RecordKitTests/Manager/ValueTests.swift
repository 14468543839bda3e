import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

final class ValueTests: TimedTestCase {
    func testARequestThatCannotBeBuiltSendsNothing() async throws {
        let stub = StubServer()

        let error = await NetworkSession(stub.configuration).failure(of: Shop.One.broken)

        guard case .invalidRequest(let invalid) = error?.network else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(invalid.request, "Shop.One.broken")
        XCTAssertEqual(invalid.member, .path)
        XCTAssertTrue(stub.requests.isEmpty)
    }

    func testInterceptorsRunInOrderOutermostFirst() async throws {
        struct Tag: NetworkInterceptor {
            let name: String

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                var call = call
                call.headers.add("X-Tag", name)
                var response = try await next(call)
                response.headers.add("X-Tag", name)
                return response
            }
        }
        let stub = StubServer()
        stub.respond(to: "/ask", with: .status(200))
        var configuration = stub.configuration
        configuration.interceptors = [Tag(name: "outer"), Tag(name: "inner")]

        let response = try await NetworkSession(configuration).value(for: Ask<NetworkResponse>())

        XCTAssertEqual(stub.requests.first?.headers.values(for: "X-Tag"), ["outer", "inner"])
        XCTAssertEqual(response.headers.values(for: "X-Tag"), ["inner", "outer"])
    }

    func testTheCallOfARequestHasWhatItsConfigurationAdds() throws {
        let spy = EventSpy()
        let network = NetworkSession(
            NetworkConfiguration(
                environment: "https://store.example", headers: ["X-Till": "4"],
                options: RequestOptions(timeout: .seconds(7)), observers: [spy]))

        let call = try network.call(for: Shop.One.fetch(sku: "a"))

        XCTAssertEqual(call.url.absoluteString, "https://store.example/items/a")
        XCTAssertEqual(call.headers["X-Till"], "4")
        XCTAssertEqual(call.timeout, .seconds(7))
        // No event began that an observer would wait for.
        XCTAssertEqual(spy.kinds, [])
    }

    // MARK: The configuration

    func testNoSensitiveValueIsPrinted() {
        var configuration = NetworkConfiguration(environment: NetworkEnvironment("https://store.example"))
        configuration.interceptors = [AuthorizationInterceptor(.bearer("a-token"), for: "https://store.example")]
        configuration.headers = ["X-Shop": "Reykjavík", "X-Till": "s3cret", "Authorization": "Bearer another"]
        configuration.sensitiveNames = ["x-till"]
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = [dumped, "\(configuration)", String(reflecting: configuration), "\(NetworkSession(configuration))"]
        for text in texts {
            for secret in ["s3cret", "a-token", "another"] { XCTAssertFalse(text.contains(secret), text) }
        }
        XCTAssertTrue(dumped.contains("Reykjavík"), dumped)
    }

    func testTheHeadersOfTheConfigurationStandBetweenTheDefaultsAndTheRequest() async throws {
        let transport = CannedTransport()
        var network = NetworkConfiguration(transport)
        _ = try await NetworkSession(network).value(for: Ask<Data>())
        let languages = try XCTUnwrap(transport.calls[0].headers["Accept-Language"])
        XCTAssertFalse(try XCTUnwrap(languages.split(separator: ",").first).contains(";"), languages)
        for (preferred, expected) in [
            ([], "en"), (["en-001"], "en"), (["is-IS", "en-001"], "is-IS, en-001;q=0.9"), (["de", "\u{E9}"], "de"),
        ] { XCTAssertEqual(DefaultHeaders.acceptLanguage(of: preferred), expected) }
        let agent = try XCTUnwrap(transport.calls[0].headers["User-Agent"])
        XCTAssertNotNil(agent.wholeMatch(of: /[^ ()]+ \([A-Za-z]+\) RecordKit\/[0-9.]+/), agent)

        network.headers = ["Accept": "text/csv", "Accept-Language": "is", "Content-Type": "text/csv"]
        _ = try await NetworkSession(network).value(for: Ask<Data>(method: .post, content: "x"))
        XCTAssertEqual(transport.calls[1].headers["Accept"], "text/csv")
        XCTAssertEqual(transport.calls[1].headers["Accept-Language"], "is")
        XCTAssertEqual(
            transport.calls[1].headers["Content-Type"], "text/plain; charset=utf-8", "the body knows its own")
    }
}
