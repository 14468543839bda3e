import Dispatch
public import Foundation
import Synchronization

/// The entries of a journal: what a server has received, or what sleeps by a clock.
protocol JournalEntries: Sendable {
    /// A line for each request, which a test is shown when its wait fails.
    var received: [String] { get }
}

/// Records entries, and lets tasks wait for them.
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

    var entries: Entries { state.withLock { $0.entries } }

    /// Changes the entries, and resumes the tasks whose conditions hold now.
    @discardableResult
    func note<Value: Sendable>(_ change: (inout Entries) -> Value) -> Value {
        let (value, over, entries) = state.withLock { state in
            let value = change(&state.entries)
            let entries = state.entries
            let over = state.waiters.filter { $0.value.isOver(entries) }
            over.keys.forEach { state.waiters[$0] = nil }
            return (value, over.values, entries)
        }
        over.forEach { $0.continuation.resume(returning: .success(entries)) }
        return value
    }

    /// Ends all waits, because there will be no more entries.
    func finish() {
        let over = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        over.forEach { $0.continuation.resume(returning: .failure(.stopped(waitingFor: $0.waited))) }
    }

    /// Returns the entries as soon as a condition holds.
    ///
    /// - Parameters:
    ///   - waited: What the task waits for, as part of a sentence.
    ///   - limit: The longest time to wait.
    ///   - isOver: The condition.
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

/// The reason why a wait of a test failed.
@nonexhaustive
public enum WaitingError: LocalizedError, Equatable, CustomStringConvertible {
    /// The time limit was reached. `received` lists the requests so far: method and target, sensitive values redacted.
    case timedOut(waitingFor: String, limit: Duration, received: [String])
    /// The server was stopped.
    case stopped(waitingFor: String)
    /// The waiting task was cancelled.
    case cancelled(waitingFor: String)

    /// A message that names what the task waited for.
    public var description: String {
        switch self {
        case .timedOut(let waited, let limit, let received):
            "Timed out after \(limit) while waiting for \(waited). "
                + (received.isEmpty ? "No request was received." : "Received: \(received.joined(separator: ", ")).")
        case .stopped(let waited):
            "The server was stopped while a task waited for \(waited)."
        case .cancelled(let waited):
            "The task was cancelled while it waited for \(waited)."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
