import Foundation
import RecordKit
import Synchronization

/// An open WebSocket: what has arrived, what is to be sent, and who waits.
///
/// The app's tasks and the thread of the loop share it. Only its link on that thread has the socket.
final class WebSocketConnection: Sendable {
    typealias Outcome = Result<Void, NetworkError>
    typealias Received = Result<WebSocketMessage?, NetworkError>

    /// What a task waits for.
    private enum Wait {
        case sent, pong, closed
    }

    private struct State: ~Copyable {
        var inbox = WebSocketInbox()
        /// Whether the link stopped reading, because there are too many unread messages.
        var isPaused = false
        var readers: [UnsafeContinuation<Received, Never>] = []
        var waiting: [UInt64: (wait: Wait, continuation: UnsafeContinuation<Outcome, Never>)] = [:]
        var lastID: UInt64 = 0

        var outbox: [OutgoingMessage] = []
        var pings: [UInt64] = []
        /// The payloads of the pings that have no pong yet.
        var pongs: [Data] = []
        /// The close frame to send after the outbox.
        var close: WebSocketClose?
        /// Whether a close frame was sent or is about to be.
        var isClosing = false
        var peerClose: WebSocketClose?
        /// How the messages end, after those in the inbox.
        var end: Outcome?
        /// Whether the socket is closed, or has to be.
        var isOver = false
        /// Whether anything has arrived since the last check.
        var isHeard = false
        var awaitsPong = false
        var cancelTimers: [@Sendable () -> Void] = []
        /// Whether the connection reads the response's stream for its error.
        var isFollowing = false
        /// The writer of the response's stream.
        var writer: NetworkBytes.Writer?

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }

        /// Removes and returns all tasks that wait, except for the readers.
        mutating func takeWaiting() -> [(wait: Wait, continuation: UnsafeContinuation<Outcome, Never>)] {
            defer { (waiting, outbox, pings) = ([:], [], []) }
            return Array(waiting.values)
        }
    }

    /// The time that the server has to close the connection after a close frame.
    private static let closeTimeout = Duration.seconds(5)
    private static let pongLimit = 64

    let call: NetworkCall
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    private init(_ call: NetworkCall, wake: @escaping @Sendable () -> Void) {
        self.call = call
        self.wake = wake
    }

    /// Returns a connection and a stream without chunks, which end together.
    ///
    /// - Parameters:
    ///   - call: The call that opened the connection.
    ///   - wake: Wakes the thread of the loop.
    static func make(
        _ call: NetworkCall, wake: @escaping @Sendable () -> Void
    ) -> (connection: WebSocketConnection, bytes: NetworkBytes) {
        let connection = WebSocketConnection(call, wake: wake)
        let (bytes, writer) = NetworkBytes.makeStream(onCancel: { [weak connection] in connection?.streamEnded() })
        connection.state.withLock { $0.writer = writer }
        return (connection, bytes)
    }

    var peerClose: WebSocketClose? { state.withLock { $0.peerClose } }

    // MARK: The app's side

    /// Returns the next message, or `nil` after the last one. Cancelling the task ends the connection.
    func receive() async -> Received {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (received, wasPaused): (Received?, Bool) = state.withLock { state in
                    if let message = state.inbox.takeFirst() {
                        let resumes = state.isPaused && state.inbox.size <= call.bufferLimit / 2
                        if resumes { state.isPaused = false }
                        return (.success(message), resumes)
                    }
                    if let end = state.end { return (end.map { nil }, false) }
                    state.readers.append(continuation)
                    return (nil, false)
                }
                if wasPaused { wake() }
                if let received { continuation.resume(returning: received) }
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Sends a message. Returns when the system has taken all of it.
    func send(_ message: WebSocketMessage) async -> Outcome {
        await wait(for: .sent) { state, id in state.outbox.append(OutgoingMessage(message, id: id)) }
    }

    /// Sends a ping. Returns when its pong has arrived.
    func ping() async -> Outcome {
        await wait(for: .pong) { state, id in state.pings.append(id) }
    }

    /// Sends a close frame after the messages before it. Returns when that of the server has arrived.
    func close(_ close: WebSocketClose) async -> Outcome {
        let isFirst = state.withLock { state in
            if state.isClosing || state.isOver { return false }
            (state.isClosing, state.close) = (true, close)
            return true
        }
        if isFirst { limitClosing() }
        return await wait(for: .closed) { _, _ in }
    }

    private func wait(for wait: Wait, _ add: (inout State, UInt64) -> Void) async -> Outcome {
        let id = state.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if let outcome = self.outcome(of: wait, &state) { return outcome }
                    state.waiting[id] = (wait, continuation)
                    add(&state, id)
                    return nil
                }
                if let outcome { return continuation.resume(returning: outcome) }
                wake()
                // The handler may have run before the task was added.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Returns the outcome of what is done after the connection was closed, or `nil` while it is open.
    private func outcome(of wait: Wait, _ state: inout State) -> Outcome? {
        if case .failure(let error) = state.end { return .failure(error) }
        if wait == .closed { return state.end }
        guard state.isClosing || state.isOver else { return nil }
        return .failure(lost(state.peerClose ?? state.close))
    }

    /// Ends a wait. A message of which nothing was sent is dropped.
    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { state in
            state.outbox.removeAll { $0.id == id && !$0.isBegun }
            state.pings.removeAll { $0 == id }
            return state.waiting.removeValue(forKey: id)
        }
        waiting?.continuation.resume(returning: .failure(.cancelled))
    }

    /// Ends the connection with the stream of the response, which has no chunks.
    func follow(_ stream: NetworkBytes) {
        state.withLock { $0.isFollowing = true }
        Task {
            do throws(NetworkError) {
                var chunks = stream.makeAsyncIterator()
                while try await chunks.next() != nil {}
            } catch {
                stop(error)
            }
        }
    }

    /// Handles the end of a stream that may have been released before the connection follows it.
    private func streamEnded() {
        if !state.withLock({ $0.isFollowing }) { stop(.cancelled) }
    }

    /// Ends the connection at once, and drops the unread messages.
    func stop(_ error: NetworkError) {
        state.withLock { state in
            if !state.inbox.isEmpty { state.end = .failure(error) }
            state.inbox = WebSocketInbox()
        }
        finish(error)
        wake()
    }

    /// Ends a connection that the app has released. If it is being closed, it has the usual time for that.
    func release() {
        let isClosing = state.withLock { state in
            guard state.isClosing, !state.isOver else { return false }
            // What the server still sends is dropped.
            state.end = state.end ?? .failure(.cancelled)
            state.inbox = WebSocketInbox()
            return true
        }
        if isClosing { wake() } else { stop(.cancelled) }
    }

    // MARK: The side of the loop's thread

    /// Whether the socket has to be closed.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Returns whether the link may read. If not, it is woken when it may.
    func mayRead() -> Bool {
        state.withLock { state in
            state.isPaused = state.inbox.size > call.bufferLimit
            return !state.isPaused
        }
    }

    /// Notes that something has arrived.
    func heard() {
        state.withLock { $0.isHeard = true }
    }

    /// Returns the next frame to send, and the identifier of the message that is complete with it.
    func nextFrame() -> (frame: Data, message: UInt64?)? {
        state.withLock { state in
            if !state.pongs.isEmpty { return (Frame.encoded(.pong, state.pongs.removeFirst()), nil) }
            if !state.pings.isEmpty {
                let id = state.pings.removeFirst()
                return (Frame.encoded(.ping, withUnsafeBytes(of: id.bigEndian) { Data($0) }), nil)
            }
            if !state.outbox.isEmpty {
                let frame = state.outbox[0].nextFrame()
                let isDone = state.outbox[0].isDone
                return (frame, isDone ? state.outbox.removeFirst().id : nil)
            }
            guard let close = state.close.take() else { return nil }
            return (Frame.encoded(.close, Frame.payload(of: close)), nil)
        }
    }

    func didSend(_ message: UInt64) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: message) }
        waiting?.continuation.resume(returning: .success(()))
    }

    func receive(_ event: FrameReader.Event) {
        switch event {
        case .message(let message):
            let reader: UnsafeContinuation<Received, Never>? = state.withLock { state in
                if state.end != nil { return nil }
                if !state.readers.isEmpty { return state.readers.removeFirst() }
                state.inbox.append(message)
                return nil
            }
            reader?.resume(returning: .success(message))
        case .ping(let payload):
            state.withLock { state in
                // Nothing follows the close frame.
                if state.isClosing, state.close == nil { return }
                // A server that reads no pongs gets only the latest (RFC 6455 section 5.5.3).
                if state.pongs.count == Self.pongLimit { state.pongs.removeFirst() }
                state.pongs.append(payload)
            }
        case .pong(let payload):
            guard payload.count == 8 else { return }
            let id = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let waiting = state.withLock { state in
                state.waiting[id]?.wait == .pong ? state.waiting.removeValue(forKey: id) : nil
            }
            waiting?.continuation.resume(returning: .success(()))
        case .close(let close): end(.success(()), sending: close, received: close)
        }
    }

    /// Ends the messages with an error, and sends the server a close frame.
    func fail(_ error: NetworkError, sending close: WebSocketClose) {
        end(.failure(error), sending: close, received: nil)
    }

    /// Ends the messages, and answers with a close frame. The socket stays open until the server closes it.
    private func end(_ outcome: Outcome, sending close: WebSocketClose, received: WebSocketClose?) {
        let lost = lost(close)
        let (readers, waiting, isFirst) = state.withLock { state in
            let isFirst = !state.isClosing
            state.end = state.end ?? outcome
            state.peerClose = received
            state.pongs = []
            if !state.isClosing { state.close = close }
            state.isClosing = true
            defer { state.readers = [] }
            return (state.readers, state.takeWaiting(), isFirst)
        }
        if isFirst { limitClosing() }
        for reader in readers { reader.resume(returning: outcome.map { nil }) }
        for (wait, continuation) in waiting {
            if case .success = outcome, wait != .closed {
                continuation.resume(returning: .failure(lost))
            } else {
                continuation.resume(returning: outcome)
            }
        }
    }

    /// Handles the end of the connection. Everything that still waits fails with the error.
    func finish(_ error: NetworkError? = nil) {
        let error = error ?? lost(nil)
        let (readers, waiting, timers, end, writer) =
            state.withLock { state in
                state.isOver = true
                let end = state.end ?? .failure(error)
                state.end = end
                defer { (state.readers, state.cancelTimers) = ([], []) }
                return (state.readers, state.takeWaiting(), state.cancelTimers, end, state.writer)
            }
        for cancel in timers { cancel() }
        for reader in readers { reader.resume(returning: end.map { nil }) }
        for (_, continuation) in waiting { continuation.resume(returning: .failure(error)) }
        writer?.finish()
    }

    /// The error for a connection that is closed.
    private func lost(_ close: WebSocketClose?) -> NetworkError {
        .connection(
            NetworkError.ConnectionFailure(
                kind: .lost, host: call.origin.hostAndPort, mayHaveReachedServer: true, cause: close))
    }

    // MARK: Time

    /// Sends a ping when nothing has arrived for a time. Ends the connection when nothing follows in that time.
    func keepAlive(every interval: Duration) {
        let cancel = call.clock.schedule(interval) { [weak self] in
            guard let self else { return }
            switch state.withLock({ Self.check(&$0) }) {
            case .over: return
            case .silent: return timedOut(interval)
            case .ping: wake()
            case .alive: break
            }
            keepAlive(every: interval)
        }
        let isOver = state.withLock { state in
            // The timer that has fired is the only one before the connection closes.
            if !state.isClosing { state.cancelTimers = [cancel] }
            return state.isClosing || state.isOver
        }
        if isOver { cancel() }
    }

    /// Ends the connection some time after it began to close.
    private func limitClosing() {
        let cancel = call.clock.schedule(Self.closeTimeout) { [weak self] in self?.timedOut(Self.closeTimeout) }
        let isOver = state.withLock { state in
            state.cancelTimers.append(cancel)
            return state.isOver
        }
        if isOver { cancel() }
    }

    private enum Health {
        case alive, ping, silent, over
    }

    private static func check(_ state: inout State) -> Health {
        if state.isClosing || state.isOver { return .over }
        // Nothing is read from a paused connection.
        if state.isHeard || state.isPaused {
            (state.isHeard, state.awaitsPong) = (false, false)
            return .alive
        }
        if state.awaitsPong { return .silent }
        state.awaitsPong = true
        state.pings.append(state.makeID())
        return .ping
    }

    private func timedOut(_ limit: Duration) {
        finish(
            .timedOut(
                NetworkError.Timeout(limit: .attempt, after: limit, host: call.origin.hostAndPort)))
        wake()
    }
}
