import Foundation
public import RecordKit
import RecordKitInterceptors
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
/// Spans are sent in batches by a session of the observer's own, which isn't observed. While the collector can't be
/// reached, spans wait up to ``TelemetrySettings/queueSize``. Call ``flush()`` before the process ends.
public final class TelemetryObserver: NetworkObserver {
    private struct State: ~Copyable {
        var calls: [NetworkCall.ID: CallRecord] = [:]
        var spans: [Span] = []
        var metrics: Metrics
        var droppedSpans = 0
        /// What a timer will export.
        var isScheduled: Set<Signal> = []
        /// The last export, which the next one waits for.
        var export: Task<Bool, Never>?
    }

    private enum Signal {
        case spans, metrics
    }

    private let settings: TelemetrySettings
    private let resource: ExportBody.Resource
    private let network: NetworkSession
    private let clock: NetworkClock
    private let state: Mutex<State>

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - serviceName: The name of the app or server, as `service.name`.
    ///   - settings: Where telemetry is sent, how often, and how much of it is kept.
    ///   - transport: The transport of exports.
    ///   - clock: The clock for intervals and dates of exports.
    public init(
        serviceName: String, settings: TelemetrySettings = TelemetrySettings(),
        transport: any NetworkTransport = URLSessionTransport(), clock: NetworkClock = .continuous
    ) {
        self.settings = settings
        self.clock = clock
        var attributes = settings.resource.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) }
        attributes.append(Attribute("service.name", serviceName))
        attributes.append(Attribute("telemetry.sdk.name", "recordkit"))
        attributes.append(Attribute("telemetry.sdk.language", "swift"))
        attributes.append(Attribute("telemetry.sdk.version", NetworkConfiguration.libraryVersion))
        resource = ExportBody.Resource(attributes: attributes)
        let options = RequestOptions(timeout: settings.timeout)
        network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(settings.endpoint), transport: transport, headers: settings.headers,
                options: options, clock: clock))
        state = Mutex(State(metrics: Metrics(start: clock.date(), seriesLimit: settings.seriesLimit)))
    }

    /// The number of spans that were dropped, since too many waited or since the collector rejected them.
    public var droppedSpans: Int { state.withLock { $0.droppedSpans } }

    /// Records an event of a call.
    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        switch event.kind {
        case .built:
            let record = CallRecord(of: call, event)
            state.withLock { $0.calls[call.id] = record }
        case .attempt:
            let attributes = call.attributes(of: event)
            state.withLock { state in
                state.metrics.addAttempt(event.duration.seconds, attributes)
                state.calls[call.id]?.add(event, of: call)
            }
        case .read:
            guard let record = state.withLock({ $0.calls.removeValue(forKey: call.id) }) else { return }
            end(record.spans(of: call, event), of: call, event)
        default:
            return
        }
    }

    /// Queues the spans of a call that has ended, and counts the call.
    private func end(_ spans: [Span], of call: NetworkCall, _ event: NetworkEvent) {
        var attributes = [Attribute("recordkit.request", call.name)]
        if let error = event.detail { attributes.append(Attribute("error.type", error)) }
        let isFull = state.withLock { state in
            let waiting = state.spans.count
            state.spans += spans.prefix(settings.queueSize - waiting)
            state.droppedSpans += waiting + spans.count - state.spans.count
            state.metrics.addCall(attributes)
            return waiting < settings.batchSize && state.spans.count >= settings.batchSize
        }
        if !spans.isEmpty { schedule(.spans, after: settings.spanInterval) }
        schedule(.metrics, after: settings.metricInterval)
        if isFull { _ = export(metrics: false) }
    }

    /// Exports after an interval, unless that is scheduled already.
    private func schedule(_ signal: Signal, after interval: Duration) {
        guard state.withLock({ $0.isScheduled.insert(signal).inserted }) else { return }
        _ = clock.schedule(interval) { [weak self] in
            guard let self else { return }
            state.withLock { _ = $0.isScheduled.remove(signal) }
            _ = export(metrics: signal == .metrics)
        }
    }

    /// Sends all spans that wait, and the metrics.
    ///
    /// Call it at the end of a tool, and while a server shuts down. It takes ``TelemetrySettings/timeout`` at most for
    /// each export.
    ///
    /// - Returns: Whether the collector has received everything.
    @discardableResult
    public func flush() async -> Bool {
        await export(metrics: true).value
    }

    /// Begins an export after those that run.
    private func export(metrics: Bool) -> Task<Bool, Never> {
        state.withLock { state in
            let earlier = state.export
            let task = Task {
                _ = await earlier?.value
                let sentSpans = await sendSpans()
                return metrics ? await sendMetrics() && sentSpans : sentSpans
            }
            state.export = task
            return task
        }
    }

    /// Sends the spans that wait, batch after batch. Returns false if some still wait.
    private func sendSpans() async -> Bool {
        while true {
            let batch = state.withLock { Array($0.spans.prefix(settings.batchSize)) }
            if batch.isEmpty { return true }
            do throws(NetworkError) {
                let reply = try await network.value(for: ExportRequest(body: ExportBody(spans: batch, of: resource)))
                remove(batch.count, dropped: ExportReply.rejectedSpans(in: reply))
            } catch {
                if error.isWorthAnotherExport {
                    let pause = error.response?.retryAfter(now: clock.date()) ?? .zero
                    schedule(.spans, after: max(settings.spanInterval, pause))
                    return false
                }
                remove(batch.count, dropped: batch.count)
            }
        }
    }

    private func remove(_ count: Int, dropped: Int) {
        state.withLock { state in
            state.spans.removeFirst(count)
            state.droppedSpans += dropped
        }
    }

    private func sendMetrics() async -> Bool {
        let metrics = state.withLock { $0.metrics.exported(at: clock.date(), droppedSpans: $0.droppedSpans) }
        if metrics.isEmpty { return true }
        do throws(NetworkError) {
            _ = try await network.value(for: ExportRequest(body: ExportBody(metrics: metrics, of: resource)))
            return true
        } catch {
            // The next export has these measurements, too.
            return false
        }
    }
}

extension NetworkError {
    /// Whether the same spans may be accepted later (OpenTelemetry protocol, section "Failures").
    fileprivate var isWorthAnotherExport: Bool {
        guard let status = response?.statusCode, status >= 300 else { return isTransient }
        return [429, 502, 503, 504].contains(status)
    }
}
