import RecordKit
import RecordKitInterceptors
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// Reads what is sent by OpenTelemetry's own definitions. See Scripts/servers/telemetry.
final class CollectorTests: TimedTestCase {
    private struct Entry: Decodable {
        let trace, id, parent: String?
        let name: String
        let kind, status: Int?
        let attributes: [String: String]
    }

    func testACallWithARetryIsReadBack() async throws {
        guard let address = ProcessInfo.processInfo.environment["RECORDKIT_OTLP_URL"] else {
            throw XCTSkip("RECORDKIT_OTLP_URL isn't set; see Scripts/servers/telemetry")
        }
        let service = "store-\(UUID())"
        let telemetry = TelemetryObserver(
            serviceName: service, settings: TelemetrySettings(environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": address]))
        let server = try LoopbackServer(responses: [.status(503, headers: ["Retry-After": "0"]), .json("{}")])
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(server.url), interceptors: [RetryInterceptor()],
                observers: [telemetry]))
        _ = try await network.value(for: Look(token: "s3cret"))
        let isFlushed = await telemetry.flush()
        XCTAssertTrue(isFlushed)
        XCTAssertEqual(telemetry.droppedSpans, 0)

        let received = try await NetworkSession(NetworkEnvironment(address))
            .value(for: Endpoint<[Entry], NetworkError>(path: "received/\(service)"))
        let call = try XCTUnwrap(received.first)
        XCTAssertEqual(call.name, "Look")
        XCTAssertEqual(call.parent, "")
        let attempts = received[1...2]
        XCTAssertEqual(attempts.map(\.name), ["GET", "GET"])
        XCTAssertEqual(attempts.map(\.kind), [3, 3])
        XCTAssertEqual(attempts.map(\.trace), [call.trace, call.trace])
        XCTAssertEqual(attempts.map(\.parent), [call.id, call.id])
        XCTAssertEqual(attempts.map(\.status), [2, 0])
        XCTAssertEqual(attempts.map { $0.attributes["http.response.status_code"] }, ["503", "200"])
        XCTAssertEqual(attempts.map { $0.attributes["http.request.resend_count"] }, [nil, "1"])
        XCTAssertEqual(attempts.map { $0.attributes["server.port"] }, [String(server.port), String(server.port)])
        let metrics = received.dropFirst(3).map { [$0.name, $0.attributes["count"]] }
        XCTAssertEqual(metrics, [["http.client.request.duration", "2"], ["recordkit.calls", "1"]])
    }
}
