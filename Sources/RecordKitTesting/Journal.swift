import Dispatch
import Foundation
import Synchronization

/// What a journal holds.
protocol JournalEntries: Sendable {
    /// A line for each request, to tell a test what came when something else did not.
    var received: [String] { get }
}

/// What has been seen, and who waits to see more.
final class Journal<Entries: JournalEntries>: Sendable {
    private struct Waiter {
        let waited: String
        let isOver: @Sendable (Entries) -> Bool
        let continuation: CheckedContinuation<Result<Entries, WaitingError>, Never>
    }

    private struct State {
        var entries: Entries
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        var isFinished = false
    }

    private let state: Mutex<State>

    init(_ entries: Entries) {
        state = Mutex(State(entries: entries))
    }

    var entries: Entries {
        state.withLock { $0.entries }
    }

    /// Adds to the entries, and lets those go on who waited for it.
    func note(_ change: (inout Entries) -> Void) {
        let (over, entries) = state.withLock { state in
            change(&state.entries)
            let entries = state.entries
            let over = state.waiters.filter { $0.value.isOver(entries) }
            over.keys.forEach { state.waiters[$0] = nil }
            return (over.values, entries)
        }
        over.forEach { $0.continuation.resume(returning: .success(entries)) }
    }

    /// Ends all waiting: nothing more will be noted.
    func finish() {
        let over = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        over.forEach { $0.continuation.resume(returning: .failure(.stopped(waitingFor: $0.waited))) }
    }

    /// The entries, once the condition holds.
    func entries(
        _ waited: String, within limit: Duration, once isOver: @escaping @Sendable (Entries) -> Bool
    ) async throws(WaitingError) -> Entries {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = DispatchWorkItem { [weak self] in
            guard let self else { return }
            end(id, .timedOut(waitingFor: waited, limit: limit, received: entries.received))
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Waiter(waited: waited, isOver: isOver, continuation: continuation), id)
                if Task.isCancelled { end(id, .cancelled(waitingFor: waited)) }
                DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1), execute: timer)
            }
        } onCancel: {
            end(id, .cancelled(waitingFor: waited))
        }
        return try result.get()
    }

    private func add(_ waiter: Waiter, _ id: Int) {
        let result: Result<Entries, WaitingError>? = state.withLock { state in
            if waiter.isOver(state.entries) { return .success(state.entries) }
            if state.isFinished { return .failure(.stopped(waitingFor: waiter.waited)) }
            state.waiters[id] = waiter
            return nil
        }
        if let result { waiter.continuation.resume(returning: result) }
    }

    private func end(_ id: Int, _ error: WaitingError) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: .failure(error))
    }
}

/// Why a test did not get to see what it waited for.
public enum WaitingError: Error, Equatable, CustomStringConvertible {
    /// It did not come in time. `received` names what had come: a method and a target for each request,
    /// sensitive items redacted.
    case timedOut(waitingFor: String, limit: Duration, received: [String])
    /// The server was stopped first.
    case stopped(waitingFor: String)
    /// The waiting task was cancelled.
    case cancelled(waitingFor: String)

    public var description: String {
        switch self {
        case .timedOut(let waited, let limit, let received):
            "After \(limit), still no sign of \(waited). "
                + (received.isEmpty ? "No request was received." : "Received: \(received.joined(separator: ", ")).")
        case .stopped(let waited):
            "The server was stopped while a task waited for \(waited)."
        case .cancelled(let waited):
            "The task was cancelled while it waited for \(waited)."
        }
    }
}
