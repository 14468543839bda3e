import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

final class TelemetryTests: TimedTestCase {
    private let collector = CannedTransport()
    private let clock = ManualClock(advancesItself: true)

    /// An export, as far as the tests read it.
    private struct Export: Decodable {
        struct Group<Scope: Decodable>: Decodable {
            let scopeSpans: [Scope]?
            let scopeMetrics: [Scope]?
        }
        struct Spans: Decodable { let spans: [Span] }
        struct Metrics: Decodable { let metrics: [Metric] }
        struct Span: Decodable {
            let traceId, spanId, name, startTimeUnixNano, endTimeUnixNano: String
            let parentSpanId: String?
            let attributes: [Attribute]
        }
        struct Metric: Decodable {
            struct Points: Decodable { let dataPoints: [Point] }
            struct Point: Decodable {
                let attributes: [Attribute]
                let count, asInt: String?
                let bucketCounts: [String]?
            }
            let name: String
            let histogram, sum: Points?
        }
        struct Attribute: Decodable {
            struct Value: Decodable {
                let stringValue, intValue: String?
                let boolValue: Bool?
            }
            let key: String
            let value: Value
        }
        let resourceSpans: [Group<Spans>]?
        let resourceMetrics: [Group<Metrics>]?

        var spans: [Span] { resourceSpans?.flatMap { $0.scopeSpans ?? [] }.flatMap(\.spans) ?? [] }
        var metrics: [Metric] { resourceMetrics?.flatMap { $0.scopeMetrics ?? [] }.flatMap(\.metrics) ?? [] }
    }

    private func exports(_ collector: CannedTransport) async throws -> [Export] {
        var exports: [Export] = []
        for call in collector.calls {
            exports.append(try JSONDecoder().decode(Export.self, from: await XCTUnwrap(call.body).data()))
        }
        return exports
    }

    private func telemetry(
        _ collector: CannedTransport, _ change: (inout TelemetrySettings) -> Void = { _ in }
    ) -> TelemetryObserver {
        var settings = TelemetrySettings(environment: [:])
        change(&settings)
        return TelemetryObserver(
            serviceName: "till", settings: settings, transport: collector, clock: clock.networkClock)
    }

    /// A session whose first attempt is refused.
    private func store(
        _ observer: TelemetryObserver, _ interceptors: [any NetworkInterceptor] = []
    ) -> (NetworkSession, CannedTransport) {
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(statusCode: call.attempt == 1 ? 503 : 200, url: call.url)
        }
        var configuration = NetworkConfiguration(transport, interceptors, clock: clock)
        configuration.observers = [observer]
        return (NetworkSession(configuration), transport)
    }

    func testAttemptsAreBelowTheirCallAndInTheTraceThatWasSent() async throws {
        let telemetry = telemetry(collector)
        let (network, transport) = store(
            telemetry, [RetryInterceptor(), TracingInterceptor(tracing: .begun(isSampled: true))])
        _ = try await network.value(for: Look(token: "s3cret"))
        let isFlushed = await telemetry.flush()

        XCTAssertTrue(isFlushed)
        XCTAssertEqual(collector.calls.map(\.url.path), ["/v1/traces", "/v1/metrics"])
        let spans = try await exports(collector).flatMap(\.spans)
        XCTAssertEqual(spans.map(\.name), ["Look", "GET", "GET"])
        let sent = transport.calls.compactMap { $0.headers["traceparent"].flatMap { TraceContext(traceparent: $0) } }
        XCTAssertEqual(spans.dropFirst().map(\.spanId), sent.map(\.spanID))
        XCTAssertEqual(Set(spans.map(\.traceId)), Set(sent.map(\.traceID)))
        XCTAssertEqual(spans.map(\.parentSpanId), [nil, spans[0].spanId, spans[0].spanId])
        for span in spans { XCTAssertLessThanOrEqual(span.startTimeUnixNano, span.endTimeUnixNano) }
    }

    func testACallContinuesTheTraceOfItsTask() async throws {
        let telemetry = telemetry(collector)
        let (network, _) = store(telemetry, [TracingInterceptor(tracing: .continued)])
        let contexts = [("0", "00"), ("1", "01")].map { digit, flags in
            TraceContext(traceparent: "00-\(String(repeating: "a", count: 31))\(digit)-00f067aa0ba902b7-\(flags)")
        }
        for context in contexts {
            _ = try? await TraceContext.$current.withValue(context) {
                try await network.value(for: Look(token: ""))
            }
        }
        await telemetry.flush()
        // The first trace isn't sampled.
        let spans = try await exports(collector).flatMap(\.spans)
        XCTAssertEqual(spans.map(\.traceId), Array(repeating: try XCTUnwrap(contexts[1]).traceID, count: 2))
        XCTAssertEqual(spans.map(\.parentSpanId), ["00f067aa0ba902b7", spans[0].spanId])
    }

    func testNoSecretIsSent() async throws {
        let telemetry = telemetry(collector)
        let (network, _) = store(telemetry)
        _ = try? await network.value(for: Look(token: "s3cret")) { $0.headers["Authorization"] = "Bearer s3cret" }
        await telemetry.flush()
        for call in collector.calls {
            let text = String(decoding: try await call.body?.data() ?? Data(), as: UTF8.self)
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        let url = try await exports(collector).flatMap(\.spans).last?.attributes.first { $0.key == "url.full" }
        XCTAssertEqual(url?.value.stringValue, "https://store.example/look?token=redacted")
    }

    func testSpansWaitWhileTheCollectorIsAwayAndFurtherOnesAreDropped() async throws {
        let isAway = Kept(true)
        let collector = CannedTransport { call throws(NetworkError) in
            if isAway.now {
                throw .connection(
                    NetworkError.ConnectionFailure(kind: .refused, host: "h", mayHaveReachedServer: false))
            }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let telemetry = telemetry(collector) { ($0.queueSize, $0.batchSize) = (5, 2) }
        let (network, _) = store(telemetry)
        for _ in 0..<3 { _ = try? await network.value(for: Look(token: "")) }
        let wasFlushed = await telemetry.flush()
        XCTAssertFalse(wasFlushed)
        XCTAssertEqual(telemetry.droppedSpans, 1)

        isAway.set(false)
        let before = collector.calls.count
        let isFlushed = await telemetry.flush()
        XCTAssertTrue(isFlushed)
        let sent = try await exports(collector).dropFirst(before)
        XCTAssertEqual(sent.map(\.spans.count), [2, 2, 1, 0])
        XCTAssertEqual(Set(sent.flatMap { $0.spans.map(\.spanId) }).count, 5)
        XCTAssertTrue(sent.flatMap(\.metrics).contains { $0.name == "recordkit.spans.dropped" })
    }

    func testWhatTheCollectorRejectsIsCounted() async throws {
        for (status, body, dropped) in [
            (200, #"{"partialSuccess": {"rejectedSpans": "1"}}"#, 1), (200, #"{"partialSuccess": {}}"#, 0),
            (200, "", 0), (400, "", 2),
        ] {
            let telemetry = telemetry(CannedTransport(status: status, body: body))
            let (network, _) = store(telemetry)
            _ = try? await network.value(for: Look(token: ""))
            await telemetry.flush()
            XCTAssertEqual(telemetry.droppedSpans, dropped, body)
        }
    }

    func testSpansAreSentAfterTheInterval() async throws {
        let exported = expectation(description: "exported")
        let collector = CannedTransport { call throws(NetworkError) in
            exported.fulfill()
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let manual = ManualClock()
        let telemetry = TelemetryObserver(
            serviceName: "till", settings: TelemetrySettings(environment: [:]), transport: collector,
            clock: manual.networkClock)
        let (network, _) = store(telemetry)
        _ = try? await network.value(for: Look(token: ""))
        XCTAssertEqual(manual.timerCount, 2)
        manual.advance(by: .milliseconds(4999))
        XCTAssertEqual(collector.calls.count, 0)
        manual.advance(by: .milliseconds(1))
        await fulfillment(of: [exported], timeout: 60)
        XCTAssertEqual(collector.calls.first?.url.absoluteString, "http://localhost:4318/v1/traces")
    }

    func testDurationsAreCountedInTheirBuckets() async throws {
        let telemetry = telemetry(collector) { $0.seriesLimit = 1 }
        let (network, _) = store(telemetry, [RetryInterceptor()])
        _ = try await network.value(for: Look(token: ""))
        await telemetry.flush()
        let metrics = try await exports(collector).flatMap(\.metrics)
        let points = try XCTUnwrap(metrics.first { $0.name == "http.client.request.duration" }?.histogram?.dataPoints)
        // The second status is a further series.
        XCTAssertEqual(Set(points.map { $0.attributes.map(\.key).contains("otel.metric.overflow") }), [true, false])
        XCTAssertEqual(points.map(\.count), ["1", "1"])
        XCTAssertEqual(points.map { $0.bucketCounts?.count }, [15, 15])
        XCTAssertEqual(points.map { $0.bucketCounts?.first }, ["1", "1"])
        XCTAssertEqual(metrics.first { $0.name == "recordkit.calls" }?.sum?.dataPoints.map(\.asInt), ["1"])
    }

    func testTheEnvironmentNamesTheCollector() {
        let named = TelemetrySettings(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example:4318/otlp"
        ])
        XCTAssertEqual(named.endpoint, "https://collector.example:4318/otlp")
        XCTAssertEqual(TelemetrySettings(environment: [:]).endpoint, "http://localhost:4318")
    }
}
