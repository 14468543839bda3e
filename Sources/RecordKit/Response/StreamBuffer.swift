import Foundation
import Synchronization

/// The chunks of a stream between its writer and its reader.
///
/// Only the reader's side holds it: when the last ``NetworkBytes`` and iterator is released, the stream is over. So
/// nothing that the closures here reach may hold it.
final class StreamBuffer: Sendable {
    private typealias Reader = (
        continuation: UnsafeContinuation<Result<Data?, NetworkError>, Never>, waitIsOver: @Sendable () -> Void
    )

    private struct State: ~Copyable {
        /// The chunks to read next, the first one last.
        var outgoing: [Data] = []
        /// The chunks written since, in order.
        var incoming: [Data] = []
        var unread = 0
        /// Set by the writer or by ``StreamBuffer/stop(_:)``, whichever comes first.
        var end: Result<Void, NetworkError>?
        var isOver = false
        var readers: [Reader] = []
        var onWait: (@Sendable () -> @Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []

        mutating func takeChunk() -> Data? {
            if outgoing.isEmpty {
                outgoing = incoming.reversed()
                incoming = []
            }
            guard let chunk = outgoing.popLast() else { return nil }
            unread -= chunk.count
            return chunk
        }

        /// Returns what is to be called at the end, the first time.
        mutating func finish() -> [@Sendable () -> Void] {
            isOver = true
            defer { onEnd = [] }
            return onEnd
        }
    }

    private let state = Mutex(State())
    private let onDrained: @Sendable () -> Void
    private let onCancel: @Sendable () -> Void

    init(onDrained: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void) {
        self.onDrained = onDrained
        self.onCancel = onCancel
    }

    deinit {
        stop(.cancelled)
    }

    /// Calls `action` once the reader has reached the end, or the stream is stopped or released; at once if it has ended.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.onEnd.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    /// Calls `action` whenever a reader begins to wait, and what that returns when the wait is over.
    func onWait(_ action: @escaping @Sendable () -> @Sendable () -> Void) {
        state.withLock { $0.onWait = action }
    }

    func write(_ chunk: Data) -> Int {
        if chunk.isEmpty { return state.withLock { $0.unread } }
        let (reader, unread) = state.withLock { state -> (Reader?, Int) in
            if state.end != nil { return (nil, 0) }
            if !state.readers.isEmpty { return (state.readers.removeFirst(), 0) }
            state.incoming.append(chunk)
            state.unread += chunk.count
            return (nil, state.unread)
        }
        reader?.waitIsOver()
        reader?.continuation.resume(returning: .success(chunk))
        return unread
    }

    func finish(_ error: NetworkError?) {
        end(error.map { .failure($0) } ?? .success(()), dropsChunks: false)
    }

    /// Ends the transfer with an error, and drops what is unread.
    func stop(_ error: NetworkError) {
        if end(.failure(error), dropsChunks: true) { onCancel() }
    }

    func next() async throws(NetworkError) -> Data? {
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                read(continuation)
            }
        } onCancel: {
            stop(.cancelled)
        }
        return try result.get()
    }

    private func read(_ continuation: UnsafeContinuation<Result<Data?, NetworkError>, Never>) {
        if let result = takeResult() { return continuation.resume(returning: result) }
        // Outside the lock: it may set a timer by a clock of the app's.
        let waitIsOver = state.withLock { $0.onWait }?() ?? {}
        let mustWait = state.withLock { state in
            guard state.unread == 0, state.end == nil else { return false }
            state.readers.append((continuation, waitIsOver))
            return true
        }
        if mustWait { return }
        waitIsOver()
        read(continuation)
    }

    /// What there is to read now; `nil` if the reader has to wait.
    private func takeResult() -> Result<Data?, NetworkError>? {
        let (result, isDrained, actions): (Result<Data?, NetworkError>?, Bool, [@Sendable () -> Void]) =
            state.withLock { state in
                if let chunk = state.takeChunk() { return (.success(chunk), state.unread == 0, []) }
                guard let end = state.end else { return (nil, false, []) }
                return (end.map { nil }, false, state.finish())
            }
        if isDrained { onDrained() }
        for action in actions { action() }
        return result
    }

    /// Returns whether the stream had not ended before.
    @discardableResult
    private func end(_ end: Result<Void, NetworkError>, dropsChunks: Bool) -> Bool {
        let (readers, actions, isFirst) = state.withLock { state in
            let isFirst = state.end == nil
            if isFirst || dropsChunks && !state.isOver { state.end = end }
            if dropsChunks { (state.outgoing, state.incoming, state.unread) = ([], [], 0) }
            // A reader that waits has read all there was.
            let isOver = dropsChunks || !state.readers.isEmpty
            defer { state.readers = [] }
            return (state.readers, isOver && !state.isOver ? state.finish() : [], isFirst)
        }
        for action in actions { action() }
        for reader in readers {
            reader.waitIsOver()
            reader.continuation.resume(returning: end.map { nil })
        }
        return isFirst
    }
}
