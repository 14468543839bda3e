import Foundation
import RecordKit
import RecordKitInterceptors
import Synchronization

/// Sends spans and metrics to the collector, one export at a time.
final class Exporter: Sendable {
    private enum Signal: CaseIterable {
        case spans, metrics
    }

    private struct State: ~Copyable {
        var spans: [Span] = []
        var metrics: Metrics
        var droppedSpans = 0
        var droppedBeforeFlush = 0
        var lastFailure: TelemetryFailure?
        /// What a timer will export.
        var scheduled: Set<Signal> = []
        /// The pauses of collectors whose last export failed.
        var pauses: [URLOrigin?: Pause] = [:]
        var isExporting = false
        /// What follows the export that runs.
        var next = Pass()
    }

    /// A run through all that waits.
    private struct Pass {
        var signals: Set<Signal> = []
        var flushes: [Flush] = []
    }

    private struct Flush {
        let deadline: Duration
        let end: @Sendable (Bool) -> Void
    }

    /// A pause, in the time of the clock.
    private struct Pause {
        var failures = 0
        var end = Duration.zero
        /// The end that the collector asked for.
        var requestedEnd = Duration.zero

        /// Begins a pause after a failure: the one that the collector asks for, or one that doubles with each failure.
        mutating func begin(at now: Duration, _ requested: Duration?) {
            failures += 1
            let backoff = Duration.seconds(1 << min(failures, 8)) * Double.random(in: 0.5...1)
            end = now + (requested ?? backoff)
            requestedEnd = now + (requested ?? .zero)
        }
    }

    private let settings: TelemetrySettings
    private let resource: ExportBody.Resource
    private let network: NetworkSession
    private let clock: NetworkClock
    /// The origins of the endpoints. A pause is for all that is sent to one of them.
    private let origins: [Signal: URLOrigin]
    private let state: Mutex<State>

    init(_ settings: TelemetrySettings, of resource: [Attribute], transport: any NetworkTransport, clock: NetworkClock)
    {
        self.settings = settings
        self.clock = clock
        self.resource = ExportBody.Resource(attributes: resource)
        origins = [.spans: settings.tracesEndpoint, .metrics: settings.metricsEndpoint]
            .compactMapValues { URL(string: $0).map { URLOrigin($0) } }
        // A redirect may lead to another host, which must receive neither the spans nor the key in the header.
        let options = RequestOptions(timeout: settings.timeout, redirects: .never)
        network = NetworkSession(
            NetworkConfiguration(transport: transport, headers: settings.headers, options: options, clock: clock))
        state = Mutex(State(metrics: Metrics(start: clock.date(), seriesLimit: settings.seriesLimit)))
    }

    var droppedSpans: Int { state.withLock { $0.droppedSpans } }

    var lastFailure: TelemetryFailure? { state.withLock { $0.lastFailure } }

    /// Counts the duration of an attempt.
    func addAttempt(_ duration: Duration, _ attributes: [Attribute]) {
        state.withLock { $0.metrics.addAttempt(duration.seconds, attributes) }
    }

    /// Queues the spans of a call, and counts the call.
    func addCall(_ spans: [Span], _ attributes: [Attribute]) {
        let isFull = state.withLock { state in
            let waiting = state.spans.count
            state.spans += spans.prefix(max(settings.queueSize - waiting, 0))
            let dropped = waiting + spans.count - state.spans.count
            state.droppedSpans += dropped
            if dropped > 0, state.lastFailure == nil { state.lastFailure = .queueIsFull(settings.queueSize) }
            state.metrics.addCall(attributes)
            return waiting < batchSize && state.spans.count >= batchSize
        }
        if !spans.isEmpty { schedule(.spans) }
        schedule(.metrics)
        if isFull { export([.spans]) }
    }

    /// Sends all that waits. Returns whether everything since the last flush was received.
    func flush() async -> Bool {
        let limit = min(settings.timeout, .seconds(365 * 86_400)) * 2
        return await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Bool, Never>?>(continuation)
            let cancel = clock.schedule(limit) { [self] in
                guard let continuation = waiting.withLock({ $0.take() }) else { return }
                state.withLock { $0.lastFailure = .tooSlow(limit) }
                continuation.resume(returning: false)
            }
            export(
                Set(Signal.allCases),
                for: Flush(deadline: clock.now() + limit) { isReceived in
                    cancel()
                    waiting.withLock { $0.take() }?.resume(returning: isReceived)
                })
        }
    }

    /// Exports now, or after the export that runs.
    private func export(_ signals: Set<Signal>, for flush: Flush? = nil) {
        let begins = state.withLock { state in
            state.next.signals.formUnion(signals)
            if let flush { state.next.flushes.append(flush) }
            defer { state.isExporting = true }
            return !state.isExporting
        }
        if begins { Task { await run() } }
    }

    /// Exports after the interval of a signal and the collector's pause, unless that is scheduled already.
    private func schedule(_ signal: Signal) {
        let interval = signal == .spans ? settings.spanInterval : settings.metricInterval
        let (origin, now) = (origins[signal], clock.now())
        let wait: Duration? = state.withLock { state in
            guard state.scheduled.insert(signal).inserted else { return nil }
            return max(interval, (state.pauses[origin]?.end ?? now) - now)
        }
        guard let wait else { return }
        _ = clock.schedule(wait) { [weak self] in
            guard let self else { return }
            state.withLock { _ = $0.scheduled.remove(signal) }
            export([signal])
        }
    }

    private func run() async {
        while let pass = nextPass() {
            let deadline = pass.flushes.map(\.deadline).max()
            var isReceived = true
            for signal in Signal.allCases where pass.signals.contains(signal) {
                if await !send(signal, until: deadline) { isReceived = false }
            }
            if pass.flushes.isEmpty { continue }
            let isComplete = state.withLock { state in
                defer { state.droppedBeforeFlush = state.droppedSpans }
                return isReceived && state.droppedSpans == state.droppedBeforeFlush
            }
            for flush in pass.flushes { flush.end(isComplete) }
        }
    }

    private func nextPass() -> Pass? {
        state.withLock { state in
            defer { state.next = Pass() }
            state.isExporting = !state.next.signals.isEmpty
            return state.isExporting ? state.next : nil
        }
    }

    /// Sends what waits of a signal, unless there is a pause. Returns false if some of it still waits.
    ///
    /// - Parameter deadline: The deadline of a flush. A flush waits only if the collector asked for it, and for a pause
    ///   that ends in time.
    private func send(_ signal: Signal, until deadline: Duration?) async -> Bool {
        let pause = state.withLock { $0.pauses[origins[signal]] } ?? Pause()
        let (now, end) = (clock.now(), deadline == nil ? pause.end : pause.requestedEnd)
        if end > now {
            guard let deadline, end < deadline else {
                schedule(signal)
                return false
            }
            try? await clock.sleep(end - now)
        }
        let isReceived = await signal == .spans ? sendSpans(isFlush: deadline != nil) : sendMetrics()
        if !isReceived { schedule(signal) }
        return isReceived
    }

    /// Sends the spans that wait, batch after batch, and full batches that arrive meanwhile.
    private func sendSpans(isFlush: Bool) async -> Bool {
        var left = state.withLock { $0.spans.count }
        while true {
            let batch = state.withLock { Array($0.spans.prefix(batchSize)) }
            if batch.isEmpty || left <= 0 && (isFlush || batch.count < batchSize) { return true }
            guard let rejected = await send(.spans, ExportBody(spans: batch, of: resource), of: batch.count) else {
                return false
            }
            left -= batch.count
            state.withLock { state in
                state.spans.removeFirst(batch.count)
                state.droppedSpans += rejected
            }
        }
    }

    /// Sends the metrics. If that fails, the next export has the same measurements.
    private func sendMetrics() async -> Bool {
        let metrics = state.withLock { $0.metrics.exported(at: clock.date(), droppedSpans: $0.droppedSpans) }
        if metrics.isEmpty { return true }
        let count = metrics.reduce(0) { $0 + $1.pointCount }
        return await send(.metrics, ExportBody(metrics: metrics, of: resource), of: count) == 0
    }

    /// Sends one export. Returns how many of its items are lost, or `nil` if the collector may accept them later.
    private func send(_ signal: Signal, _ body: ExportBody, of count: Int) async -> Int? {
        let origin = origins[signal]
        let endpoint = signal == .spans ? settings.tracesEndpoint : settings.metricsEndpoint
        do throws(NetworkError) {
            let collector = network.at(NetworkEnvironment(endpoint))
            let reply = ExportReply(try await collector.value(for: ExportRequest(body: body)))
            let rejected = min(reply.rejected, count)
            state.withLock { state in
                state.pauses[origin] = nil
                if rejected > 0 { state.lastFailure = .rejected(rejected, of: count, reply.message) }
            }
            return rejected
        } catch {
            let pause = error.response?.retryAfter(now: clock.date())
            return state.withLock { state in
                state.lastFailure = TelemetryFailure(error)
                guard error.isWorthAnotherExport else { return count }
                state.pauses[origin, default: Pause()].begin(at: clock.now(), pause)
                return nil
            }
        }
    }

    /// The largest number of spans in one export.
    private var batchSize: Int { max(settings.batchSize, 1) }

}

extension NetworkError {
    /// Whether the same spans may be accepted later (OpenTelemetry protocol, section "Failures").
    fileprivate var isWorthAnotherExport: Bool {
        guard let status = response?.statusCode, status >= 300 else { return isTransient }
        return [429, 502, 503, 504].contains(status)
    }
}
