import Foundation
import RecordKit
import RecordKitInterceptors
import TestSupport
import XCTest

extension NetworkConfiguration {
    /// Changes the properties in an initializer, where no property observer is called.
    fileprivate init(_ transport: CannedTransport, signed token: String) {
        self.init(environment: NetworkEnvironment("https://unused.example"))
        environment = NetworkEnvironment("https://store.example")
        self.transport = transport
        interceptors = [AuthorizationInterceptor(.bearer(token), for: "https://store.example")]
        headers = ["X-Shop": "Reykjavík", "X-Till": "s3cret"]
        sensitiveNames = ["x-till"]
    }
}

final class ConfigurationTests: TimedTestCase {
    func testSettingsOfAnInitializerOfTheAppApply() async throws {
        let transport = CannedTransport(body: "ok")
        let configuration = NetworkConfiguration(transport, signed: "a-token")
        let text = try await NetworkSession(configuration).value(for: Ask<String>())
        XCTAssertEqual(text, "ok")
        let call = try XCTUnwrap(transport.calls.first)
        XCTAssertEqual(call.url.host(), "store.example")
        XCTAssertEqual(call.headers["Authorization"], "Bearer a-token")
        XCTAssertEqual(call.headers["X-Shop"], "Reykjavík")
        XCTAssertTrue(call.headers.isSensitive("X-Till"))
        XCTAssertEqual(configuration.interceptors.count, 1)
        XCTAssertEqual(configuration.headers["X-Shop"], "Reykjavík")
        XCTAssertEqual(configuration.sensitiveNames, ["x-till"])
    }

    func testNoSensitiveValueIsPrinted() {
        var configuration = NetworkConfiguration(CannedTransport(), signed: "a-token")
        configuration.headers["Authorization"] = "Bearer another"
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = [dumped, "\(configuration)", String(reflecting: configuration), "\(NetworkSession(configuration))"]
        for text in texts {
            for secret in ["s3cret", "a-token", "another"] { XCTAssertFalse(text.contains(secret), text) }
        }
        XCTAssertTrue(dumped.contains("Reykjavík"), dumped)
    }

    func testAChangedCopyLeavesTheOriginalAsItWas() async throws {
        let (one, other) = (CannedTransport(body: "one"), CannedTransport(body: "other"))
        let original = NetworkConfiguration(environment: NetworkEnvironment("https://store.example"), transport: one)
        var copy = original
        copy.transport = other
        copy.headers = ["X-Copy": "1"]
        let texts = try await [
            NetworkSession(original).value(for: Ask<String>()), NetworkSession(copy).value(for: Ask<String>()),
        ]
        XCTAssertEqual(texts, ["one", "other"])
        XCTAssertEqual(one.calls.map { $0.headers.contains("X-Copy") }, [false])
        XCTAssertEqual(other.calls.map { $0.headers.contains("X-Copy") }, [true])
    }

    func testTheHeadersOfTheConfigurationStandBetweenTheDefaultsAndTheRequest() async throws {
        let transport = CannedTransport()
        var network = NetworkConfiguration(
            environment: NetworkEnvironment("https://store.example"), transport: transport)
        _ = try await NetworkSession(network).value(for: Ask<Data>())
        let languages = try XCTUnwrap(transport.calls[0].headers["Accept-Language"])
        XCTAssertFalse(try XCTUnwrap(languages.split(separator: ",").first).contains(";"), languages)
        let agent = try XCTUnwrap(transport.calls[0].headers["User-Agent"])
        XCTAssertNotNil(agent.wholeMatch(of: /[^ ()]+ \([A-Za-z]+\) RecordKit\/[0-9.]+/), agent)

        network.headers = ["Accept": "text/csv", "Accept-Language": "is", "Content-Type": "text/csv"]
        _ = try await NetworkSession(network).value(for: Ask<Data>(method: .post, content: "x"))
        XCTAssertEqual(transport.calls[1].headers["Accept"], "text/csv")
        XCTAssertEqual(transport.calls[1].headers["Accept-Language"], "is")
        XCTAssertEqual(
            transport.calls[1].headers["Content-Type"], "text/plain; charset=utf-8", "the body knows its own")
    }

    func testLaterSettingsKeepTheOthers() async throws {
        let transport = CannedTransport()
        var network = NetworkConfiguration(transport, signed: "a-token")
        network.headers = ["X-Till": "8"]
        network.transport = transport
        _ = try await NetworkSession(network).value(for: Ask<String>())
        XCTAssertEqual(transport.calls.map { $0.headers.isSensitive("X-Till") }, [true])
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer a-token"])
    }
}
