import RecordKit
import RecordKitInterceptors
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// A test of an observer whose exports go to a stub.
class TelemetryTestCase: TimedTestCase {
    let collector = CannedTransport()
    let clock = ManualClock(advancesItself: true)

    func telemetry(
        _ collector: CannedTransport, clock: NetworkClock? = nil, _ change: (inout TelemetrySettings) -> Void = { _ in }
    ) -> TelemetryObserver {
        var settings = TelemetrySettings(environment: [:])
        change(&settings)
        return TelemetryObserver(
            serviceName: "till", settings: settings, transport: collector, clock: clock ?? self.clock.networkClock)
    }

    /// A session whose first attempt is refused.
    func store(
        _ observer: TelemetryObserver, _ interceptors: [any NetworkInterceptor] = []
    ) -> (NetworkSession, CannedTransport) {
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(statusCode: call.attempt == 1 ? 503 : 200, url: call.url)
        }
        return (NetworkSession(transport, interceptors, clock: clock, observers: [observer]), transport)
    }

    /// Sends calls that fail, of two spans each.
    func sendCalls(_ count: Int = 1, _ observer: TelemetryObserver) async {
        let (network, _) = store(observer)
        for _ in 0..<count { _ = try? await network.value(for: Look(token: "")) }
    }

    /// Sends calls, and returns what is exported.
    func exported(
        _ interceptors: [any NetworkInterceptor] = [], _ change: (inout TelemetrySettings) -> Void = { _ in },
        _ send: (NetworkSession, CannedTransport) async throws -> Void
    ) async throws -> (spans: [Export.Span], metrics: [Export.Metric]) {
        let collector = CannedTransport()
        let telemetry = telemetry(collector, change)
        let (network, transport) = store(telemetry, interceptors)
        try await send(network, transport)
        await telemetry.flush()
        let exports = try await exports(collector)
        return (exports.flatMap(\.spans), exports.flatMap(\.metrics))
    }

    func exports(_ collector: CannedTransport) async throws -> [Export] {
        var exports: [Export] = []
        for call in collector.calls {
            exports.append(try JSONDecoder().decode(Export.self, from: await XCTUnwrap(call.body).data()))
        }
        return exports
    }
}

/// An export, as far as the tests read it.
struct Export: Decodable {
    struct Group<Scope: Decodable>: Decodable {
        let resource: Resource
        let scopeSpans: [Scope]?
        let scopeMetrics: [Scope]?
    }
    struct Resource: Decodable { let attributes: [Attribute] }
    struct Spans: Decodable { let spans: [Span] }
    struct Metrics: Decodable { let metrics: [Metric] }
    struct Span: Decodable {
        let traceId, spanId, name, startTimeUnixNano, endTimeUnixNano: String
        let parentSpanId: String?
        let attributes: [Attribute]
        let status: Status?
    }
    struct Status: Decodable { let code: Int }
    struct Metric: Decodable {
        struct Points: Decodable { let dataPoints: [Point] }
        struct Point: Decodable {
            let attributes: [Attribute]
            let count, asInt: String?
            let sum, min, max: Double?
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

extension [Export.Attribute] {
    subscript(key: String) -> String? {
        first { $0.key == key }.flatMap { $0.value.stringValue ?? $0.value.intValue ?? $0.value.boolValue?.description }
    }
}

extension [Export.Metric] {
    /// The data points of a metric.
    subscript(name: String) -> [Export.Metric.Point] {
        first { $0.name == name }.flatMap { ($0.histogram ?? $0.sum)?.dataPoints } ?? []
    }
}

/// A request with a secret.
struct Look: NetworkRequest {
    typealias ValueType = Data

    let token: String
    var method: HTTPMethod = .get

    var path: RequestPath { "look" }
    var query: RequestQuery { ["token": token] }
}
