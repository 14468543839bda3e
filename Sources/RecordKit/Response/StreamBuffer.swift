import Foundation
import Synchronization

/// The buffer between the writer and the reader of a stream.
///
/// Unread chunks above the limit are kept in a temporary file. So a slow reader needs little memory, even if the source
/// can't be slowed down.
///
/// Only the reader retains the buffer: releasing the last ``NetworkBytes`` and iterator ends the stream. So the
/// closures in the buffer must not retain it, not even indirectly.
final class StreamBuffer: Sendable {
    /// A waiting reader.
    private typealias Reader = (
        continuation: UnsafeContinuation<Result<Data?, NetworkError>, Never>, waitIsOver: @Sendable () -> Void
    )

    /// An action at the end of the stream, with the error that ended it early.
    typealias EndAction = @Sendable (NetworkError?) -> Void

    /// The chunks, and how the stream ended.
    private struct State: ~Copyable {
        /// The chunks to read next, in reverse order.
        var outgoing: [Data] = []
        /// The chunks written after those, in order.
        var incoming: [Data] = []
        /// The chunks written after those, if they are too many for memory.
        var spilled = SpillQueue()
        /// The number of unread bytes.
        var unread = 0
        /// The result of the stream. The writer or ``StreamBuffer/stop(_:)`` sets it.
        var end: Result<Void, NetworkError>?
        /// The fields after the body, once the writer has finished.
        var trailers = HTTPHeaders()
        /// Whether the reader has reached the end, or the stream was stopped.
        var isOver = false
        /// The waiting readers.
        var readers: [Reader] = []
        /// See ``StreamBuffer/onWait(_:)``.
        var onWait: (@Sendable () -> @Sendable () -> Void)?
        /// See ``StreamBuffer/onChunk(_:)``.
        var onChunk: [@Sendable (Data) -> Void] = []
        /// See ``StreamBuffer/onEnd(_:)``.
        var onEnd: [EndAction] = []

        /// Appends a chunk, in memory if no more than `limit` bytes are there then.
        mutating func append(_ chunk: Data, limit: Int) throws(POSIXError) {
            if spilled.count == 0, unread == 0 || unread + chunk.count <= limit {
                incoming.append(chunk)
            } else {
                try spilled.append(chunk)
            }
            unread += chunk.count
        }

        /// Removes and returns the next chunk.
        mutating func takeChunk() throws(POSIXError) -> Data? {
            if outgoing.isEmpty {
                outgoing = incoming.reversed()
                incoming = []
            }
            let chunk = if let chunk = outgoing.popLast() { chunk as Data? } else { try spilled.read(upTo: 1 << 16) }
            unread -= chunk?.count ?? 0
            return chunk
        }

        /// Marks the stream as over. Returns the actions to call, at the first call only.
        mutating func finish() -> [EndAction] {
            isOver = true
            defer { onEnd = [] }
            return onEnd
        }
    }

    private let state = Mutex(State())
    /// The number of unread bytes that are kept in memory.
    private let limit: Int
    private let onDrained: @Sendable () -> Void
    private let onCancel: @Sendable () -> Void

    init(limit: Int, onDrained: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onDrained = onDrained
        self.onCancel = onCancel
    }

    deinit {
        stop(.cancelled)
    }

    /// Calls `action` when the reader has reached the end, or when the stream is stopped or released.
    ///
    /// Calls it immediately if that has happened already.
    func onEnd(_ action: @escaping EndAction) {
        let end = state.withLock { state in
            if !state.isOver { state.onEnd.append(action) }
            return state.isOver ? state.end : nil
        }
        if let end { action(end.error) }
    }

    /// Calls `action` with each chunk that the reader takes.
    func onChunk(_ action: @escaping @Sendable (Data) -> Void) {
        state.withLock { $0.onChunk.append(action) }
    }

    /// Calls `action` whenever a reader begins to wait, and calls its result when the wait is over.
    func onWait(_ action: @escaping @Sendable () -> @Sendable () -> Void) {
        state.withLock { $0.onWait = action }
    }

    /// Appends a chunk, or passes it to a waiting reader. Returns the number of unread bytes.
    func write(_ chunk: Data) -> Int {
        if chunk.isEmpty { return state.withLock { $0.unread } }
        let (reader, unread, failure, onChunk) = state.withLock {
            state -> (Reader?, Int, POSIXError?, [@Sendable (Data) -> Void]) in
            if state.end != nil { return (nil, 0, nil, []) }
            if !state.readers.isEmpty { return (state.readers.removeFirst(), 0, nil, state.onChunk) }
            do throws(POSIXError) {
                try state.append(chunk, limit: limit)
                return (nil, state.unread, nil, [])
            } catch {
                return (nil, 0, error, [])
            }
        }
        if let failure { stop(Self.cannotSpill(failure)) }
        if let reader {
            reader.waitIsOver()
            for action in onChunk { action(chunk) }
            reader.continuation.resume(returning: .success(chunk))
        }
        return unread
    }

    /// Ends the stream after the unread chunks.
    func finish(_ error: NetworkError?, _ trailers: HTTPHeaders = HTTPHeaders()) {
        if error == nil, !trailers.fields.isEmpty {
            state.withLock { state in
                if state.end == nil { state.trailers.merge(trailers) }
            }
        }
        end(error.map { .failure($0) } ?? .success(()), dropsChunks: false)
    }

    /// The fields after the body. Empty until the reader has reached the end.
    var trailers: HTTPHeaders {
        state.withLock { state in
            if case .success = state.end, state.isOver { state.trailers } else { HTTPHeaders() }
        }
    }

    /// Adds sensitive names of the trailers.
    func markSensitive(_ names: Set<String>) {
        state.withLock { $0.trailers.markSensitive(names) }
    }

    /// Ends the transfer with an error, and drops the unread chunks.
    func stop(_ error: NetworkError) {
        if end(.failure(error), dropsChunks: true) { onCancel() }
    }

    /// Returns the next chunk, or `nil` at the end. Cancelling the task stops the stream.
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

    /// Resumes a reader with the next result, or adds it to the waiting readers.
    private func read(_ continuation: UnsafeContinuation<Result<Data?, NetworkError>, Never>) {
        if let result = takeResult() { return continuation.resume(returning: result) }
        // Calls the action outside the lock, since it may use a clock that the app supplies.
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

    /// Returns the next chunk or the end, or `nil` if the reader has to wait.
    private func takeResult() -> Result<Data?, NetworkError>? {
        /// What the lock's holder found, and what to call outside the lock.
        enum Taken {
            case chunk(Data, isLast: Bool, [@Sendable (Data) -> Void])
            case end(Result<Void, NetworkError>, [EndAction])
            case unreadable(POSIXError)
            case nothing
        }
        let taken = state.withLock { state -> Taken in
            do throws(POSIXError) {
                if let chunk = try state.takeChunk() {
                    return .chunk(chunk, isLast: state.unread == 0, state.onChunk)
                }
            } catch {
                return .unreadable(error)
            }
            return state.end.map { .end($0, state.finish()) } ?? .nothing
        }
        switch taken {
        case .nothing: return nil
        case .chunk(let chunk, let isLast, let actions):
            if isLast { onDrained() }
            for action in actions { action(chunk) }
            return .success(chunk)
        case .end(let end, let actions):
            for action in actions { action(end.error) }
            return end.map { nil }
        case .unreadable(let cause):
            let error = Self.cannotSpill(cause)
            stop(error)
            return .failure(error)
        }
    }

    /// Ends the stream. Returns whether it hadn't ended before.
    @discardableResult
    private func end(_ end: Result<Void, NetworkError>, dropsChunks: Bool) -> Bool {
        let (readers, actions, isFirst) = state.withLock { state in
            let isFirst = state.end == nil
            if isFirst || dropsChunks && !state.isOver { state.end = end }
            if dropsChunks {
                (state.outgoing, state.incoming, state.unread) = ([], [], 0)
                state.spilled = SpillQueue()
            }
            // A waiting reader has read all chunks.
            let isOver = dropsChunks || !state.readers.isEmpty
            defer { state.readers = [] }
            return (state.readers, isOver && !state.isOver ? state.finish() : [], isFirst)
        }
        for action in actions { action(end.error) }
        for reader in readers {
            reader.waitIsOver()
            reader.continuation.resume(returning: end.map { nil })
        }
        return isFirst
    }

    /// The error for unread bytes that can't be kept in a file.
    private static func cannotSpill(_ cause: POSIXError) -> NetworkError {
        let file = FileManager.default.temporaryDirectory.appending(path: "RecordKit")
        return .file(NetworkError.FileFailure(file, code: cause.code.rawValue))
    }
}

extension Result {
    /// The error, or `nil` for a success.
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
