import Foundation
import RecordKit
import RecordKitInterceptors
import TestSupport
import XCTest

final class ConfigurationTests: TimedTestCase {
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
