import RecordKit
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// The variables that OpenTelemetry's exporters share.
final class EnvironmentTests: TelemetryTestCase {
    private func settings(_ variables: [String: String]) -> TelemetrySettings {
        TelemetrySettings(environment: Dictionary(uniqueKeysWithValues: variables.map { ("OTEL_\($0.key)", $0.value) }))
    }

    func testEndpoints() {
        let own = "https://traces.example/x"
        for (variables, traces, metrics) in [
            ([:], "http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"),
            (["EXPORTER_OTLP_ENDPOINT": ""], "http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"),
            (
                ["EXPORTER_OTLP_ENDPOINT": "https://c.example:4318/otlp"], "https://c.example:4318/otlp/v1/traces",
                "https://c.example:4318/otlp/v1/metrics"
            ),
            (
                ["EXPORTER_OTLP_ENDPOINT": "https://c.example/", "EXPORTER_OTLP_TRACES_ENDPOINT": own], own,
                "https://c.example/v1/metrics"
            ),
            (["EXPORTER_OTLP_METRICS_ENDPOINT": own], "http://localhost:4318/v1/traces", own),
        ] as [([String: String], String, String)] {
            let read = settings(variables)
            XCTAssertEqual([read.tracesEndpoint, read.metricsEndpoint], [traces, metrics])
        }
        var written = settings(["EXPORTER_OTLP_TRACES_ENDPOINT": own])
        written.endpoint = "https://code.example"
        XCTAssertEqual(written.tracesEndpoint, "https://code.example/v1/traces")
    }

    func testHeadersAndResource() {
        for (list, members) in [
            ("api-key=k", ["api-key": "k"]), (" a = 1 , b=x%20y%2C%3D ", ["a": "1", "b": "x y,="]),
            ("Authorization=Basic YWI6Yw==", ["Authorization": "Basic YWI6Yw=="]), ("a=1,,b=", ["a": "1", "b": ""]),
            ("a=1,a=2", ["a": "2"]), ("a=1,b", [:]), ("a=100%", [:]), ("=1", [:]), ("", [:]),
        ] {
            XCTAssertEqual(settings(["EXPORTER_OTLP_HEADERS": list]).headers, HTTPHeaders(members), list)
            XCTAssertEqual(settings(["RESOURCE_ATTRIBUTES": list]).resource, members, list)
        }
    }

    func testTimeout() {
        for (text, timeout) in [
            ("2500", Duration.milliseconds(2500)), ("", .seconds(10)), ("-1", .seconds(10)), ("soon", .seconds(10)),
            ("1.5", .seconds(10)), ("0", .seconds(365 * 86_400)), ("99999999999", .seconds(10)),
        ] { XCTAssertEqual(settings(["EXPORTER_OTLP_TIMEOUT": text]).timeout, timeout, text) }
    }

    func testTheResourceHasEachAttributeOnce() async throws {
        let inList = ["RESOURCE_ATTRIBUTES": "service.name=list,telemetry.sdk.name=other,region=eu"]
        let inBoth = inList.merging(["SERVICE_NAME": "variable"]) { $1 }
        for (variables, change, name, shown) in [
            (inList, nil, nil, "list"), (inBoth, nil, nil, "variable"), (inBoth, "code", nil, "code"),
            (inBoth, "code", "till", "till"), ([:], nil, nil, "unknown_service:\(ProcessInfo.processInfo.processName)"),
        ] as [([String: String], String?, String?, String)] {
            var settings = settings(variables)
            if let change { settings.resource["service.name"] = change }
            let collector = CannedTransport()
            let telemetry = TelemetryObserver(
                serviceName: name, settings: settings, transport: collector, clock: clock.networkClock)
            await sendCalls(1, telemetry)
            await telemetry.flush()
            let export = try await exports(collector)[0]
            let attributes = try XCTUnwrap(export.resourceSpans?.first?.resource.attributes)
            XCTAssertEqual(attributes["service.name"], shown)
            XCTAssertEqual(attributes["telemetry.sdk.name"], "recordkit")
            XCTAssertEqual(attributes["region"], variables.isEmpty ? nil : "eu")
            XCTAssertEqual(Set(attributes.map(\.key)).count, attributes.count)
        }
    }

    func testItCanBeDisabled() async {
        for (text, isEnabled) in [("true", false), ("True", false), ("1", true), ("yes", true), ("", true)] {
            let collector = CannedTransport()
            let telemetry = TelemetryObserver(
                settings: settings(["SDK_DISABLED": text]), transport: collector, clock: clock.networkClock)
            await sendCalls(1, telemetry)
            assertEqual(await telemetry.flush(), true)
            XCTAssertEqual(collector.calls.isEmpty, !isEnabled, text)
        }
    }
}
