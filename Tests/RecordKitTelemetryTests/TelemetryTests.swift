import RecordKit
import RecordKitInterceptors
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// What spans and metrics contain.
final class TelemetryTests: TelemetryTestCase {
    func testAttemptsAreBelowTheirCallAndInTheTraceThatWasSent() async throws {
        let sent = Kept<[TraceContext]>([])
        let spans = try await exported([
            RetryInterceptor(), TracingInterceptor(tracing: .begun(isSampled: true)),
        ]) { network, transport in
            _ = try await network.value(for: Look(token: "s3cret"))
            sent.set(transport.calls.compactMap { TraceContext(traceparent: $0.headers["traceparent"] ?? "") })
        }.spans
        XCTAssertEqual(spans.map(\.name), ["Look", "GET", "GET"])
        XCTAssertEqual(spans.dropFirst().map(\.spanId), sent.now.map(\.spanID))
        XCTAssertEqual(Set(spans.map(\.traceId)), Set(sent.now.map(\.traceID)))
        XCTAssertEqual(spans.map(\.parentSpanId), [nil, spans[0].spanId, spans[0].spanId])
    }

    /// The trace of a task, whose first span is `00f067aa0ba902b7`.
    private func context(_ digit: String, _ flags: String) throws -> TraceContext {
        try XCTUnwrap(TraceContext(traceparent: "00-\(String(repeating: digit, count: 32))-00f067aa0ba902b7-\(flags)"))
    }

    func testACallContinuesTheTraceOfItsTask() async throws {
        let (unsampled, sampled) = (try context("a", "00"), try context("b", "01"))
        for interceptors in [[], [TracingInterceptor(tracing: .continued)]] {
            let spans = try await exported(interceptors) { network, _ in
                for context in [unsampled, sampled] {
                    _ = try? await TraceContext.$current.withValue(context) {
                        try await network.value(for: Look(token: ""))
                    }
                }
            }.spans
            XCTAssertEqual(spans.map(\.traceId), [sampled.traceID, sampled.traceID])
            XCTAssertEqual(spans.map(\.parentSpanId), ["00f067aa0ba902b7", spans[0].spanId])
        }
        // A request may have the header field of its own.
        let spans = try await exported { network, _ in
            _ = try? await network.value(for: Ask<Data>(headers: ["traceparent": sampled.traceparent]))
        }.spans
        XCTAssertEqual(spans.map(\.traceId), [sampled.traceID, sampled.traceID])
        XCTAssertFalse(spans.map(\.spanId).contains(sampled.spanID))
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
        let url = try await exports(collector).flatMap(\.spans).last?.attributes["url.full"]
        XCTAssertEqual(url, "https://store.example/look?token=redacted")
    }

    func testMethodsAndAddressesFollowTheConventions() async throws {
        for (method, name, known, original) in [
            ("PURGE", "HTTP", "_OTHER", "PURGE"), ("QUERY", "QUERY", "QUERY", nil), ("PATCH", "PATCH", "PATCH", nil),
        ] as [(HTTPMethod, String, String, String?)] {
            let (spans, metrics) = try await exported { network, _ in
                _ = try? await network.value(for: Look(token: "", method: method))
            }
            XCTAssertEqual(spans[1].name, name)
            XCTAssertEqual(spans[1].attributes["http.request.method"], known)
            XCTAssertEqual(spans[1].attributes["http.request.method_original"], original)
            let series = metrics["http.client.request.duration"][0].attributes
            XCTAssertEqual(series["http.request.method"], known)
            XCTAssertNil(series["http.request.method_original"])
        }
        let spans = try await exported { network, _ in
            _ = try? await network.value(for: Ask<Data>(baseURL: "http://[2001:db8::1]:8080"))
        }.spans
        XCTAssertEqual(spans[1].attributes["server.address"], "2001:db8::1")
        XCTAssertEqual(spans[1].attributes["server.port"], "8080")
    }

    func testARefusalIsAnErrorInSpanAndMetric() async throws {
        let telemetry = telemetry(collector)
        let network = NetworkSession(CannedTransport(status: 404), clock: clock, observers: [telemetry])
        _ = try? await network.value(for: Look(token: ""))
        await telemetry.flush()
        let exports = try await exports(collector)
        XCTAssertEqual(exports.flatMap(\.spans)[1].attributes["error.type"], "404")
        let metrics = exports.flatMap(\.metrics)
        XCTAssertEqual(metrics["http.client.request.duration"][0].attributes["error.type"], "404")
        XCTAssertEqual(metrics["recordkit.calls"][0].attributes["error.type"], "NetworkError.status")
    }

    func testAStreamThatIsLeftEarlyIsNoFailure() async throws {
        for (isLost, status) in [(false, nil), (true, 2)] as [(Bool, Int?)] {
            let telemetry = telemetry(collector)
            let transport = CannedTransport { call throws(NetworkError) in
                let (bytes, writer) = NetworkBytes.makeStream {}
                writer.write(Data("chunk".utf8))
                if isLost { writer.finish(throwing: .lost) }
                return NetworkResponse(statusCode: 200, content: .stream(bytes), url: call.url)
            }
            let network = NetworkSession(transport, clock: clock, observers: [telemetry])
            func readOne() async throws {
                guard let stream = try await network.open(Look(token: "")).stream else { return XCTFail("no stream") }
                do {
                    for try await _ in stream where !isLost { break }
                } catch {
                    XCTAssertTrue(isLost)
                }
            }
            try await readOne()
            await telemetry.flush()
            let exports = try await exports(collector).suffix(2)
            XCTAssertEqual(exports.flatMap(\.spans).first?.status?.code, status)
            let last = exports.flatMap(\.metrics)["recordkit.calls"].first
            XCTAssertEqual(last?.attributes["error.type"], isLost ? "NetworkError.connection" : nil)
        }
    }

    func testATraceHasAtMost128Attempts() async throws {
        struct Again: NetworkInterceptor {
            func intercept(
                _ call: NetworkCall, next: NetworkCall.Next
            ) async throws(NetworkError) -> NetworkResponse {
                for _ in 0..<130 { _ = try await next(call) }
                return try await next(call)
            }
        }
        let spans = try await exported([Again()]) {
            _ = try? await $0.value(for: Look(token: "")); _ = $1
        }.spans
        XCTAssertEqual(spans.count, 129)
    }

    func testADateThatIsSetBackShortensNoSpan() async throws {
        let telemetry = telemetry(collector)
        let transport = CannedTransport { [clock] call throws(NetworkError) in
            clock.advance(by: .seconds(1))
            clock.shiftDate(by: .seconds(-3600))
            return NetworkResponse(statusCode: 503, url: call.url)
        }
        let network = NetworkSession(transport, [RetryInterceptor()], clock: clock, observers: [telemetry])
        _ = try? await network.value(for: Look(token: ""))
        await telemetry.flush()
        let times = try await exports(collector).flatMap(\.spans).map { span in
            (UInt64(span.startTimeUnixNano) ?? 0, UInt64(span.endTimeUnixNano) ?? 0)
        }
        XCTAssertGreaterThan(times.count, 2)
        for (start, end) in times {
            XCTAssertLessThan(start, end)
            XCTAssertLessThanOrEqual(times[0].0, start)
            XCTAssertLessThanOrEqual(end, times[0].1)
        }
    }

    func testDurationsAreCountedInTheirBuckets() async throws {
        let telemetry = telemetry(collector)
        let transport = CannedTransport { [clock] call throws(NetworkError) in
            clock.advance(by: .milliseconds(Int(call.url.lastPathComponent) ?? 0))
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = NetworkSession(transport, clock: clock, observers: [telemetry])
        for milliseconds in [5, 2000, 1000, 3000, 11_000] {
            _ = try await network.value(for: Ask<Data>(path: "\(milliseconds)"))
        }
        await telemetry.flush()
        let point = try await exports(collector).flatMap(\.metrics)["http.client.request.duration"][0]
        XCTAssertEqual(point.count, "5")
        XCTAssertEqual(point.bucketCounts?.map { $0 == "0" ? "" : $0 }.joined(separator: "|"), "1|||||||||1|1|1|||1")
        XCTAssertEqual([point.min, point.max, point.sum], [0.005, 11, 17.005])
    }

    func testFurtherSeriesShareOne() async throws {
        let metrics = try await exported([RetryInterceptor()], { $0.seriesLimit = 1 }) { network, _ in
            _ = try await network.value(for: Look(token: ""))
            for _ in 0..<2 { _ = try await network.value(for: Ask<Data>()) }
        }.metrics
        for (name, counts) in [
            ("http.client.request.duration", ["": "3", "true": "3"]), ("recordkit.calls", ["": "1", "true": "2"]),
        ] {
            let points = metrics[name].map { ($0.attributes["otel.metric.overflow"] ?? "", $0.count ?? $0.asInt) }
            XCTAssertEqual(Dictionary(points) { $1 }, counts)
            XCTAssertEqual(points.count, 2)
        }
    }
}
