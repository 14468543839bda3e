import Synchronization

/// Tells the observers of an attempt and of its waits for slots, each once.
///
/// Also when the attempt is cancelled: then the call is over before the attempt's task is.
final class AttemptReport: Sendable {
    private let call: NetworkCall
    private let start: Duration
    private let state = Mutex<(slotStart: Duration?, hasEnded: Bool)>((nil, false))

    /// `nil` if there are no observers.
    init?(of call: NetworkCall) {
        if call.state.observers.isEmpty { return nil }
        self.call = call
        start = call.clock.now()
    }

    /// The attempt begins to wait for a slot.
    func slotWaitBegins() {
        state.withLock { $0.slotStart = call.clock.now() }
    }

    func slotWaitEnds() {
        let slotStart = state.withLock { $0.slotStart.take() }
        guard let slotStart else { return }
        call.report(
            NetworkEvent(.slot, start: slotStart, duration: call.clock.now() - slotStart, attempt: call.attempt))
    }

    func end(_ outcome: NetworkCall.Outcome) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if !isFirst { return }
        slotWaitEnds()
        call.reportAttempt(since: start, outcome)
    }
}
