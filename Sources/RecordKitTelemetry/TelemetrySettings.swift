public import Foundation
public import RecordKit

/// Where telemetry is sent, how often, and how much of it is kept. The defaults are those of OpenTelemetry.
public struct TelemetrySettings: Sendable {
    /// The base URL of the collector. Spans are sent to `v1/traces` below it, metrics to `v1/metrics`.
    ///
    /// Default: `OTEL_EXPORTER_OTLP_ENDPOINT` of the process's environment, or `http://localhost:4318`.
    public var endpoint: String
    /// The header fields of each export, such as the key of a vendor. They are redacted in logs by their names.
    public var headers: HTTPHeaders
    /// More attributes of the process that reports, such as `deployment.environment.name`.
    public var resource: [String: String]
    /// The longest time that a span waits before it is sent. Default: 5 seconds.
    public var spanInterval: Duration
    /// The time between two exports of metrics. Default: 60 seconds.
    public var metricInterval: Duration
    /// The time limit of one export. Default: 10 seconds.
    public var timeout: Duration
    /// The largest number of spans in one export. Default: 512.
    public var batchSize: Int
    /// The largest number of spans that wait. Further ones are dropped and counted. Default: 2048.
    public var queueSize: Int
    /// The largest number of series of each metric. Further measurements share one series, which has the attribute
    /// `otel.metric.overflow`. Default: 2000.
    public var seriesLimit: Int

    /// Creates settings with the defaults of OpenTelemetry.
    ///
    /// - Parameter environment: The variables that are read. By default, those of the process.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let variable = environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? ""
        endpoint = variable.isEmpty ? "http://localhost:4318" : variable
        headers = HTTPHeaders()
        resource = [:]
        spanInterval = .seconds(5)
        metricInterval = .seconds(60)
        timeout = .seconds(10)
        batchSize = 512
        queueSize = 2048
        seriesLimit = 2000
    }
}
