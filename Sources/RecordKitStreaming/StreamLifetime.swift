import RecordKit
import Synchronization

/// What a sequence has to cancel: the calls that it is opening, and the stream that it is reading.
final class StreamLifetime: Sendable {
    private struct State: ~Copyable {
        var isCancelled = false
        var lastID = 0
        var actions: [Int: Action] = [:]
        var stream: NetworkBytes?
    }

    /// A closure. In debug builds (Swift 6.3.1), each read of a bare closure from the lock wraps it once more. A struct
    /// prevents that.
    private struct Action {
        let run: @Sendable () -> Void
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The stream that is being read, which ``cancel()`` ends.
    func setStream(_ stream: NetworkBytes?) {
        let (isCancelled, earlier) = state.withLock { state in
            let earlier = state.stream
            state.stream = state.isCancelled ? nil : stream
            return (state.isCancelled, earlier)
        }
        // Releases the stream outside the lock.
        withExtendedLifetime(earlier) {}
        if isCancelled { stream?.cancel() }
    }

    /// Ends the current calls and all later ones.
    func cancel() {
        let (actions, stream) = state.withLock { state in
            state.isCancelled = true
            defer { state.actions = [:] }
            return (state.actions.values.map { $0 }, state.stream.take())
        }
        for action in actions { action.run() }
        stream?.cancel()
    }

    /// Calls `action` when the sequence is cancelled, or immediately if it has been. Returns the identifier for
    /// ``remove(_:)``.
    func onCancel(_ action: @escaping @Sendable () -> Void) -> Int {
        let (id, isCancelled) = state.withLock { state in
            state.lastID += 1
            if !state.isCancelled { state.actions[state.lastID] = Action(run: action) }
            return (state.lastID, state.isCancelled)
        }
        if isCancelled { action() }
        return id
    }

    func remove(_ id: Int) {
        let removed = state.withLock { $0.actions.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    /// Runs `work` in its own task, which ``cancel()`` and the cancellation of the caller cancel.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let id = onCancel { task.cancel() }
        defer { remove(id) }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
