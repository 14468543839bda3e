import Foundation
public import RecordKit
import Synchronization

/// Sends spans and metrics of calls to an OpenTelemetry collector.
///
/// ```swift
/// let telemetry = TelemetryObserver(serviceName: "till")
/// configuration.observers = [telemetry]
/// ```
///
/// A call is a span with the name of its request, such as `RecordService.One.fetch`. Each attempt is a span below it,
/// by OpenTelemetry's conventions for HTTP. Attempts continue the trace that a `TracingInterceptor` sends, so that the
/// spans of a server are below them. A trace that isn't sampled is not sent. Sensitive values are redacted by name, as
/// in logs, and bodies and header fields aren't sent.
///
/// The metrics are the histogram `http.client.request.duration` of attempts, and the counters `recordkit.calls` and
/// `recordkit.spans.dropped`.
///
/// Spans are sent in batches by a session of the observer's own, which isn't observed and follows no redirects. While
/// the collector can't be reached, spans wait up to ``TelemetrySettings/queueSize``. Call ``flush()`` before the
/// process ends.
public final class TelemetryObserver: NetworkObserver {
    private let isEnabled: Bool
    private let exporter: Exporter
    private let calls = Mutex<[NetworkCall.ID: CallRecord]>([:])

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - serviceName: The name of the app or server, as `service.name`. By default, the one in
    ///     ``TelemetrySettings/resource``, or else `unknown_service` and the name of the process.
    ///   - settings: Where telemetry is sent, how often, and how much of it is kept.
    ///   - transport: The transport of exports.
    ///   - clock: The clock for intervals and dates of exports.
    public init(
        serviceName: String? = nil, settings: TelemetrySettings = TelemetrySettings(),
        transport: any NetworkTransport = URLSessionTransport(), clock: NetworkClock = .continuous
    ) {
        isEnabled = settings.isEnabled
        var resource = settings.resource
        resource["service.name"] =
            serviceName ?? resource["service.name"] ?? "unknown_service:\(ProcessInfo.processInfo.processName)"
        resource["telemetry.sdk.name"] = "recordkit"
        resource["telemetry.sdk.language"] = "swift"
        resource["telemetry.sdk.version"] = NetworkConfiguration.libraryVersion
        exporter = Exporter(
            settings, of: resource.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) },
            transport: transport, clock: clock)
    }

    /// The number of spans that were dropped, since too many waited or since the collector rejected them.
    public var droppedSpans: Int { exporter.droppedSpans }

    /// Why the collector didn't receive something, the last time that this happened. `nil` if it never did.
    public var lastFailure: TelemetryFailure? { exporter.lastFailure }

    /// Records an event of a call.
    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        guard isEnabled else { return }
        switch event.kind {
        case .built:
            let record = CallRecord(of: call, event)
            calls.withLock { $0[call.id] = record }
        case .attempt:
            exporter.addAttempt(event.duration, call.attributes(of: event))
            calls.withLock { $0[call.id]?.add(event, of: call) }
        case .read:
            guard let record = calls.withLock({ $0.removeValue(forKey: call.id) }) else { return }
            var attributes = [Attribute("recordkit.request", call.name)]
            if let error = record.errorType(at: event) { attributes.append(Attribute("error.type", error)) }
            exporter.addCall(record.spans(of: call, event), attributes)
        default:
            return
        }
    }

    /// Sends all spans that wait, and the metrics.
    ///
    /// Call it at the end of a tool, and while a server shuts down. It takes twice ``TelemetrySettings/timeout`` at
    /// most. What the collector hasn't received by then still waits, and is sent if the process goes on. If the
    /// collector has asked for a pause that ends later, nothing is sent.
    ///
    /// - Returns: Whether the collector has received everything since the last flush. If not, ``lastFailure`` says why.
    @discardableResult
    public func flush() async -> Bool {
        await exporter.flush()
    }
}
