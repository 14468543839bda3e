import Synchronization

/// The task that a call runs in, apart from its caller. It is cancelled when nobody wants what comes of it any more:
/// neither its caller, nor those who share what is done in it.
final class CallRun: Sendable {
    private typealias Caller = UnsafeContinuation<NetworkCall.Outcome, Never>

    private struct State: ~Copyable {
        /// Until it is answered.
        var caller: Caller?
        var hasLeft = false
        /// Its caller is one.
        var holders = 1
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let taskID = Atomic<Int>(0)

    /// What comes of the call, which is sent on in a task of its own. Whoever is cancelled while waiting for it leaves.
    func outcome(of call: NetworkCall, _ next: @escaping NetworkCall.Next) async -> NetworkCall.Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let abandoned = state.withLock { state in
                    state.caller = continuation
                    let task = Task {
                        taskID.store(Self.currentTaskID, ordering: .relaxed)
                        do throws(NetworkError) {
                            end(.success(try await next(call)))
                        } catch {
                            end(.failure(error))
                        }
                    }
                    state.task = task
                    return state.holders == 0 ? task : nil
                }
                abandoned?.cancel()
            }
        } onCancel: {
            leave()
        }
    }

    /// The caller wants it no more. It is answered at once where others do; otherwise at its end, which is near then.
    func leave() {
        let (caller, abandoned) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
            if state.hasLeft { return (nil, nil) }
            state.hasLeft = true
            state.holders -= 1
            return state.holders == 0 ? (nil, state.task) : (state.caller.take(), nil)
        }
        abandoned?.cancel()
        caller?.resume(returning: .failure(.cancelled))
    }

    /// One more wants it, until ``release()``. False when nobody did before.
    func hold() -> Bool {
        state.withLock { state in
            if state.holders == 0 { return false }
            state.holders += 1
            return true
        }
    }

    /// One who has held it wants it no more.
    func release() {
        let abandoned = state.withLock { state in
            state.holders -= 1
            return state.holders == 0 ? state.task : nil
        }
        abandoned?.cancel()
    }

    /// Whether it is asked by its task itself, and not by one that an interceptor has made.
    var isCurrent: Bool { taskID.load(ordering: .relaxed) == Self.currentTaskID }

    private static var currentTaskID: Int {
        withUnsafeCurrentTask { $0?.hashValue ?? 0 }
    }

    private func end(_ outcome: NetworkCall.Outcome) {
        let caller = state.withLock { state in
            // It holds the call, and that this.
            state.task = nil
            return state.caller.take()
        }
        // Another task may have its place in memory soon.
        taskID.store(0, ordering: .relaxed)
        caller?.resume(returning: outcome)
    }
}
