import RecordKit
import Synchronization

/// An exchange and its outcome: exactly one response or error.
///
/// The task that waits and the thread of the event loop share it.
final class CurlExchange: Sendable {
    typealias Outcome = Result<NetworkResponse, NetworkError>

    private struct State: ~Copyable {
        var waiter: UnsafeContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    let call: NetworkCall
    /// Whether the transfer waits for the reader of its stream.
    let isPaused = Atomic(false)
    private let state = Mutex(State())

    init(_ call: NetworkCall) {
        self.call = call
    }

    /// Whether the exchange has its outcome. The transfer of a stream continues afterwards.
    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the continuation to resume with the outcome.
    ///
    /// If the exchange has already ended, resumes it immediately and returns false.
    func begin(_ continuation: UnsafeContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiter = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    /// Ends the exchange. Returns false if it had already ended.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let (waiter, isFirst) = state.withLock { state in
            let isFirst = state.outcome == nil
            // A response isn't stored: its stream would be kept alive.
            if isFirst { state.outcome = outcome.flatMap { _ in .failure(.cancelled) } }
            return (state.waiter.take(), isFirst)
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }
}
