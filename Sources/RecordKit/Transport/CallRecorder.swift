import Foundation
import Synchronization

/// What all copies of one call share: what it was made from, how many attempts it has had and whether one was sent,
/// what happened to it, and what was made for it once.
final class CallRecorder: Sendable {
    private struct State: ~Copyable {
        var attempts = 1
        var isSent = false
        var hasReachedServer = false
        var start: Duration?
        var events: [Timeline.Event] = []
        /// Mostly one, or none.
        var made: Made?

        func text(_ name: String) -> String? {
            var made = made
            while let one = made, one.name != name { made = one.earlier }
            return made?.text
        }
    }

    private final class Made: Sendable {
        let name: String
        let text: String
        let earlier: Made?

        init(name: String, text: String, earlier: Made?) {
            self.name = name
            self.text = text
            self.earlier = earlier
        }
    }

    let request: any Sendable
    let clock: NetworkClock
    let run = CallRun()
    private let state = Mutex(State())

    init(request: any Sendable, clock: NetworkClock) {
        self.request = request
        self.clock = clock
    }

    /// The number of a further attempt.
    func countAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    /// Whether an attempt has begun to be sent, or has ended.
    var hasBegunSending: Bool {
        state.withLock { state in state.isSent || state.events.contains { $0.kind == .attempt } }
    }

    func markSent() {
        state.withLock { $0.isSent = true }
    }

    /// A server may have seen an attempt that was another call's too.
    func markReached() {
        state.withLock { $0.hasReachedServer = true }
    }

    /// Whether a server may have seen an attempt that has ended.
    var mayHaveReachedServer: Bool { state.withLock { $0.hasReachedServer } }

    /// Adds what happened; its start is the clock's time. The first to begin is the beginning of the call.
    ///
    /// - Parameter reachedServer: whether a server may have seen it.
    func add(_ event: Timeline.Event, reachedServer: Bool = false) {
        state.withLock { state in
            if reachedServer { state.hasReachedServer = true }
            if state.events.isEmpty { state.events.reserveCapacity(4) }
            state.start = min(state.start ?? event.start, event.start)
            state.events.append(event)
        }
    }

    /// What happened, and when the call began, both in the clock's time.
    var events: (events: [Timeline.Event], start: Duration?) {
        state.withLock { ($0.events, $0.start) }
    }

    /// The value made first under this name; `make` is called outside the lock, as it may be anybody's.
    func once(_ name: String, _ make: () -> String) -> String {
        if let text = state.withLock({ $0.text(name) }) { return text }
        let text = make()
        return state.withLock { state in
            if let earlier = state.text(name) { return earlier }
            state.made = Made(name: name, text: text, earlier: state.made)
            return text
        }
    }
}
