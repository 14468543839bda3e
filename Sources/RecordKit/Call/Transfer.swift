import Synchronization

/// The lifetime of a call or of an exchange. It ends once.
///
/// A transfer owns resources, such as a slot and a timer, and releases them at its end. It ends once, in one of these
/// cases:
///
/// - The whole response has arrived.
/// - The call or exchange fails.
/// - The transfer is stopped.
/// - The stream of the response ends or is released.
///
/// The transfer refers to the stream weakly, because the stream refers to the transfer.
final class Transfer: Sendable {
    private struct State: ~Copyable {
        var held = Held()
        /// The error that stopped the transfer.
        var failure: NetworkError?
        var hasEnded = false
        /// Whether a call has taken the transfer. See ``Transfer/claim()``.
        var isClaimed = false

        /// Ends the transfer and returns what it has held. Returns `nil` if it has already ended.
        mutating func end() -> Held? {
            if hasEnded { return nil }
            hasEnded = true
            defer { held = Held() }
            return held
        }
    }

    /// What a transfer holds until its end.
    private struct Held {
        /// Delivers the error that stops the transfer in place of its outcome.
        var fail: (@Sendable (NetworkError) -> Void)?
        var task: Task<Void, Never>?
        weak var stream: StreamBuffer?
        var timer = GraceTimer()
        /// Gives the slot back.
        var slot: (@Sendable () -> Void)?
        var onStop: (@Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []

        /// Cancels the timer, gives the slot back, and runs the actions of the end.
        func giveBack() {
            var timer = timer
            timer.clear()?()
            slot?()
            for action in onEnd { action() }
        }
    }

    private let state = Mutex(State())

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Takes the transfer for a call. Returns false if another call has taken it before.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    /// Ends the transfer if no call has taken it, such as when the call could not be built.
    func endUnclaimed() {
        let ending = state.withLock { state in state.isClaimed ? nil : state.end() }
        ending?.giveBack()
    }

    /// Calls `action` when the transfer is stopped, or immediately if it was stopped. Not called for any other end.
    func onStop(_ action: @escaping @Sendable () -> Void) {
        let wasStopped = state.withLock { state in
            if !state.hasEnded { state.held.onStop = action }
            return state.failure != nil
        }
        if wasStopped { action() }
    }

    /// Calls `action` when the transfer ends, or immediately if it has ended.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.held.onEnd.append(action) }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    /// Sets the action that gives the slot of the exchange back. It is called at the end, or by ``giveSlotBack()``.
    func holdSlot(_ giveBack: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.held.slot = giveBack }
            return state.hasEnded
        }
        if hasEnded { giveBack() }
    }

    func giveSlotBack() {
        state.withLock { $0.held.slot.take() }?()
    }

    /// Changes the timer. Returns `nil` if the transfer has ended.
    func withTimer<Value: Sendable>(_ change: @Sendable (inout GraceTimer) -> Value) -> Value? {
        state.withLock { $0.hasEnded ? nil : change(&$0.held.timer) }
    }

    /// Runs `work` in its own task and returns the outcome.
    ///
    /// If the transfer is stopped first, returns the error that stopped it. Cancelling the caller stops the transfer.
    ///
    /// - Parameters:
    ///   - work: The work, whose value is the outcome.
    ///   - stream: Returns the stream of the value, with which the transfer then ends. `nil` ends it with the work.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(NetworkError) -> Value,
        endingWith stream: @escaping @Sendable (Value) -> StreamBuffer? = { _ in nil }
    ) async -> Result<Value, NetworkError> {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard begin({ continuation.resume(returning: .failure($0)) }) else { return }
                // The work can run before this thread goes on. Within the lock, a stop finds the task, and cancels it.
                let late = state.withLock { state -> Task<Void, Never>? in
                    let task = Task {
                        do throws(NetworkError) {
                            let value = try await work()
                            if end(with: stream(value)) { continuation.resume(returning: .success(value)) }
                        } catch {
                            if end() { continuation.resume(returning: .failure(error)) }
                        }
                    }
                    if state.hasEnded { return task }
                    state.held.task = task
                    return nil
                }
                late?.cancel()
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Sets the function to call with the error that stops the transfer.
    ///
    /// If the transfer has ended, calls the function immediately and returns false.
    func begin(_ fail: @escaping @Sendable (NetworkError) -> Void) -> Bool {
        let failure = state.withLock { state in
            if !state.hasEnded { state.held.fail = fail }
            return state.hasEnded ? state.failure ?? .cancelled : nil
        }
        if let failure { fail(failure) }
        return failure == nil
    }

    /// Ends the transfer, now or with a stream.
    ///
    /// - Returns: Whether the caller delivers the outcome. False if the transfer was stopped, which has delivered the
    ///   error.
    func end(with stream: StreamBuffer? = nil) -> Bool {
        guard let stream else {
            let ending = state.withLock { $0.end() }
            ending?.giveBack()
            return ending != nil
        }
        let (isFirst, failure) = state.withLock { state in
            // The task has finished, so nothing is left to cancel.
            state.held.task = nil
            if !state.hasEnded { state.held.stream = stream }
            return (state.held.fail.take() != nil, state.failure)
        }
        if let failure { stream.stop(failure) }
        stream.onEnd { _ in self.streamDidEnd() }
        return isFirst
    }

    /// Ends the transfer with an error. Cancels its task, and ends its stream with the error.
    func stop(_ error: NetworkError) {
        let ending = state.withLock { state in
            if !state.hasEnded { state.failure = error }
            return state.end()
        }
        guard let ending else { return }
        ending.task?.cancel()
        ending.onStop?()
        ending.stream?.stop(error)
        ending.giveBack()
        ending.fail?(error)
    }

    private func streamDidEnd() {
        state.withLock { $0.end() }?.giveBack()
    }
}
