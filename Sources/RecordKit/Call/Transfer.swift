import Synchronization

/// Owns what a call or an exchange holds, such as a slot and a timer, until its end, and has one outcome.
///
/// It ends once: with a response whose body is whole, with an error, when it is stopped, or when the stream of its
/// response ends or is released. It refers to the stream weakly, since the stream's end leads here.
final class Transfer: Sendable {
    typealias Outcome = NetworkCall.Outcome

    private struct State: ~Copyable {
        var completion: (@Sendable (Outcome) -> Void)?
        /// What it was stopped with.
        var failure: NetworkError?
        var hasEnded = false
        var task: Task<Void, Never>?
        weak var stream: StreamBuffer?
        var timer: (@Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []

        /// Returns all that is to be given back, the first time.
        mutating func end() -> Ending? {
            if hasEnded { return nil }
            hasEnded = true
            defer { (completion, task, stream, timer, onEnd) = (nil, nil, nil, nil, []) }
            return Ending(completion: completion, task: task, stream: stream, timer: timer, onEnd: onEnd)
        }
    }

    private struct Ending {
        let completion: (@Sendable (Outcome) -> Void)?
        let task: Task<Void, Never>?
        let stream: StreamBuffer?
        let timer: (@Sendable () -> Void)?
        let onEnd: [@Sendable () -> Void]

        func giveBack() {
            timer?()
            for action in onEnd { action() }
        }
    }

    private let state = Mutex(State())

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Calls `action` at the end; at once if that has come.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.onEnd.append(action) }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    /// Stops the transfer with an error if it has not ended, nor had its timer cleared, when the time has passed.
    func setTimer(_ clock: NetworkClock, after time: Duration, _ error: @escaping @Sendable () -> NetworkError) {
        let cancel = clock.schedule(time) { self.stop(error()) }
        let (hasEnded, earlier) = state.withLock { state in
            let earlier = state.timer.take()
            if !state.hasEnded { state.timer = cancel }
            return (state.hasEnded, earlier)
        }
        earlier?()
        if hasEnded { cancel() }
    }

    func clearTimer() {
        state.withLock { $0.timer.take() }?()
    }

    /// Runs `work` in a task of its own, and returns its outcome or the error that the transfer is stopped with,
    /// whichever comes first. Cancelling the caller stops the transfer.
    func run(_ work: @escaping @Sendable () async throws(NetworkError) -> NetworkResponse) async -> Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard begin({ continuation.resume(returning: $0) }) else { return }
                let task = Task {
                    do throws(NetworkError) {
                        end(.success(try await work()))
                    } catch {
                        end(.failure(error))
                    }
                }
                let hasEnded = state.withLock { state in
                    if !state.hasEnded { state.task = task }
                    return state.hasEnded
                }
                if hasEnded { task.cancel() }
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Takes what is called with the outcome. Returns false, and calls it at once, if the transfer was stopped before.
    func begin(_ completion: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let failure = state.withLock { state in
            if !state.hasEnded { state.completion = completion }
            return state.hasEnded ? state.failure ?? .cancelled : nil
        }
        if let failure { completion(.failure(failure)) }
        return failure == nil
    }

    /// Ends the transfer with an outcome, if it had none. A response with a stream is handed on, and the transfer ends
    /// with the stream.
    func end(_ outcome: Outcome) {
        if case .success(let response) = outcome, let buffer = response.stream?.buffer {
            let (completion, failure) = state.withLock { state in
                // The work is done.
                state.task = nil
                if !state.hasEnded { state.stream = buffer }
                return (state.completion.take(), state.failure)
            }
            if let failure { buffer.stop(failure) }
            buffer.onEnd { self.streamDidEnd() }
            completion?(outcome)
        } else if let ending = state.withLock({ $0.end() }) {
            ending.giveBack()
            ending.completion?(outcome)
        }
    }

    /// Ends the transfer with an error: its task is cancelled, its stream fails.
    func stop(_ error: NetworkError) {
        let ending = state.withLock { state in
            if !state.hasEnded { state.failure = error }
            return state.end()
        }
        guard let ending else { return }
        ending.task?.cancel()
        ending.stream?.stop(error)
        ending.giveBack()
        ending.completion?(.failure(error))
    }

    private func streamDidEnd() {
        state.withLock { $0.end() }?.giveBack()
    }
}
