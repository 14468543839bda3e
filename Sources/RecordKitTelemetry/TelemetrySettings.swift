public import Foundation
public import RecordKit

/// Where telemetry is sent, how often, and how much of it is kept.
///
/// The defaults are those of OpenTelemetry, and the variables of the environment that its exporters share. What is set
/// in code takes precedence over the environment.
public struct TelemetrySettings: Sendable {
    /// The base URL of the collector. Setting it sets ``tracesEndpoint`` and ``metricsEndpoint``, too.
    ///
    /// Default: `OTEL_EXPORTER_OTLP_ENDPOINT`, or `http://localhost:4318`.
    public var endpoint: String {
        didSet { (tracesEndpoint, metricsEndpoint) = Self.endpoints(endpoint) }
    }
    /// The URL that spans are sent to.
    ///
    /// Default: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or `v1/traces` below ``endpoint``.
    public var tracesEndpoint: String
    /// The URL that metrics are sent to.
    ///
    /// Default: `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`, or `v1/metrics` below ``endpoint``.
    public var metricsEndpoint: String
    /// The header fields of each export, such as the key of a vendor. They are redacted in logs by their names.
    ///
    /// Default: those of `OTEL_EXPORTER_OTLP_HEADERS`.
    public var headers: HTTPHeaders
    /// The attributes of the process that reports, such as `deployment.environment.name`.
    ///
    /// Default: those of `OTEL_RESOURCE_ATTRIBUTES`, and `OTEL_SERVICE_NAME` as `service.name`.
    public var resource: [String: String]
    /// Whether telemetry is recorded. Default: true, unless `OTEL_SDK_DISABLED` is `true`.
    public var isEnabled: Bool
    /// The longest time that a span waits before it is sent. Default: 5 seconds.
    public var spanInterval: Duration
    /// The time between two exports of metrics. Default: 60 seconds.
    public var metricInterval: Duration
    /// The time limit of one export. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`, or 10 seconds.
    ///
    /// The variable has milliseconds. Zero there means no limit, which is one year here.
    public var timeout: Duration
    /// The largest number of spans in one export, at least 1. Default: 512.
    public var batchSize: Int
    /// The largest number of spans that wait. Further ones are dropped and counted. Default: 2048.
    public var queueSize: Int
    /// The largest number of series of each metric. Further measurements share one series, which has the attribute
    /// `otel.metric.overflow`. Default: 2000.
    public var seriesLimit: Int

    /// Creates settings with the defaults of OpenTelemetry.
    ///
    /// A variable that is empty or malformed counts as one that isn't set.
    ///
    /// - Parameter environment: The variables that are read. By default, those of the process.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let variables = environment.filter { !$0.value.isEmpty }
        endpoint = variables["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://localhost:4318"
        let (traces, metrics) = Self.endpoints(endpoint)
        tracesEndpoint = variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? traces
        metricsEndpoint = variables["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] ?? metrics
        headers = HTTPHeaders()
        for (name, value) in Self.list(variables["OTEL_EXPORTER_OTLP_HEADERS"]) { headers[name] = value }
        resource = Dictionary(Self.list(variables["OTEL_RESOURCE_ATTRIBUTES"])) { $1 }
        if let name = variables["OTEL_SERVICE_NAME"] { resource["service.name"] = name }
        isEnabled = variables["OTEL_SDK_DISABLED"]?.lowercased() != "true"
        spanInterval = .seconds(5)
        metricInterval = .seconds(60)
        let milliseconds = variables["OTEL_EXPORTER_OTLP_TIMEOUT"].flatMap { Int32($0) } ?? 10_000
        timeout = milliseconds == 0 ? .seconds(365 * 86_400) : .milliseconds(milliseconds < 0 ? 10_000 : milliseconds)
        batchSize = 512
        queueSize = 2048
        seriesLimit = 2000
    }

    private static func endpoints(_ base: String) -> (traces: String, metrics: String) {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        return ("\(base)/v1/traces", "\(base)/v1/metrics")
    }

    /// Reads a list such as `key=value,other=v%20w`. It is empty if one of its members is malformed.
    private static func list(_ variable: String?) -> [(String, String)] {
        var members: [(String, String)] = []
        for member in (variable ?? "").split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces).removingPercentEncoding
            }
            guard parts.count == 2, let key = parts[0], !key.isEmpty, let value = parts[1] else { return [] }
            members.append((key, value))
        }
        return members
    }
}
