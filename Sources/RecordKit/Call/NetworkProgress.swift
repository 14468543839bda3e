public import Foundation
import Synchronization

/// The progress of a call: how many bytes of a body were sent or received.
public struct NetworkProgress: Sendable, Equatable {
    /// A part of a call that transfers a body.
    @nonexhaustive
    public enum Phase: Sendable, Hashable {
        /// The body of the request is sent.
        case sending
        /// The body of a 2xx response is received.
        case receiving
    }

    /// The part of the call.
    public let phase: Phase
    /// The number of bytes that were sent or received in this phase. A retry and a redirect start again.
    public let bytes: Int
    /// The number of bytes at the end of the phase. `nil` if it is unknown, such as for an encoded response.
    public let total: Int?
    /// The average number of bytes per second in this phase. Zero until time has passed.
    let bytesPerSecond: Double

    /// The part that is done, from 0 to 1. `nil` if the total is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(Double(bytes) / Double($0), 1) : 1 }
    }

    /// The time until the end of the phase, at the average rate. `nil` if the total or the rate is unknown.
    public var estimatedTimeLeft: Duration? {
        guard let total else { return nil }
        if total <= bytes { return .zero }
        if bytesPerSecond <= 0 { return nil }
        return .seconds(min(Double(total - bytes) / bytesPerSecond, 366 * 86_400))
    }
}

extension NetworkCall {
    /// Receives the progress of the call, for bodies sent and received.
    ///
    /// It is called at the start and at the end of each phase, and at most ten times a second between. It is called on
    /// the thread of the transfer and must return quickly. A call that shares the exchange of another one, which
    /// deduplication does, gets no reports. `nil`, the default, reports nothing.
    ///
    /// How much of a stream was read is reported to the receiver that the call is sent with, not to that of an
    /// interceptor.
    public var onProgress: (@Sendable (NetworkProgress) -> Void)? {
        get { meter?.action }
        set { meter = newValue.map { ProgressMeter(clock, $0) } }
    }

    /// Reports how many bytes of a body were sent or received in the present exchange, for ``onProgress``.
    ///
    /// A transport reports the bytes of the request's body as it sends them. The library reports those of a response
    /// that the transport returns as a stream, and the end of every body.
    ///
    /// - Parameters:
    ///   - phase: Whether the bytes were sent or received.
    ///   - bytes: The number of bytes so far.
    ///   - total: The number of bytes at the end. `nil` if it is unknown.
    public func report(_ phase: NetworkProgress.Phase, bytes: Int, of total: Int?) {
        meter?.update(phase, bytes, total)
    }
}

extension Progress {
    /// Takes over the progress of a call, to show it in a view.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: -1)
    /// try await covers.value(for: .upload(file)) {
    ///     $0.onProgress = progress.update
    /// }
    /// ```
    ///
    /// Linux's URLSession leaves its tasks' own `progress` at zero (Swift 6.3.1). The response of a call that sends a
    /// body isn't counted.
    ///
    /// - Parameter progress: The progress of the call.
    @Sendable public func update(_ progress: NetworkProgress) {
        let isUpload = ProgressUserInfoKey("RecordKit.isUpload")
        switch progress.phase {
        case .sending: setUserInfoObject(true, forKey: isUpload)
        case .receiving: if userInfo[isUpload] != nil { return }
        }
        totalUnitCount = Int64(progress.total ?? -1)
        completedUnitCount = Int64(progress.bytes)
    }
}

/// The reports of a call's progress: at most ten a second, but always the first and the last one of a phase.
final class ProgressMeter: Sendable {
    private struct State {
        var phase: NetworkProgress.Phase?
        var bytes = -1
        /// The time and the number of bytes at the start of the phase.
        var start: (time: Duration, bytes: Int) = (.zero, 0)
        var lastReport = Duration.zero
        var isOver = false
    }

    let action: @Sendable (NetworkProgress) -> Void
    private let clock: NetworkClock
    private let state = Mutex(State())

    init(_ clock: NetworkClock, _ action: @escaping @Sendable (NetworkProgress) -> Void) {
        self.clock = clock
        self.action = action
    }

    /// Starts again, for another exchange.
    func restart() {
        state.withLock { $0 = State() }
    }

    /// Records how far a phase is, and reports it if that is due. Bytes that equal the total are the end of the phase.
    ///
    /// What is older than the last record is ignored.
    func update(_ phase: NetworkProgress.Phase, _ bytes: Int, _ total: Int?) {
        let now = clock.now()
        let progress = state.withLock { state -> NetworkProgress? in
            if state.phase == .receiving, phase == .sending { return nil }
            let isFirst = state.phase != phase
            if isFirst { state = State(phase: phase, start: (now, bytes)) }
            let isOver = bytes == total
            if state.isOver || bytes < state.bytes || bytes == state.bytes && !isOver { return nil }
            state.bytes = bytes
            state.isOver = isOver
            guard isFirst || isOver || now - state.lastReport >= .milliseconds(100) else { return nil }
            state.lastReport = now
            let seconds = (now - state.start.time) / .seconds(1)
            return NetworkProgress(
                phase: phase, bytes: bytes, total: total,
                bytesPerSecond: seconds > 0 ? Double(bytes - state.start.bytes) / seconds : 0)
        }
        if let progress { action(progress) }
    }
}
