import Foundation
import RecordKit
import Synchronization

/// An open WebSocket: resumes its tasks, and has its timers and the stream of its response.
///
/// The app's tasks and the thread of the loop share it. Only its link on that thread has the socket.
final class WebSocketConnection: Sendable {
    typealias Outcome = Result<Void, NetworkError>
    typealias Received = Result<WebSocketMessage?, NetworkError>
    private typealias Reader = UnsafeContinuation<Received, Never>
    private typealias Waiter = UnsafeContinuation<Outcome, Never>
    private typealias State = WebSocketState<Reader, Waiter>

    private struct Shared: ~Copyable {
        var socket: State
        var cancelTimers: [@Sendable () -> Void] = []
        /// Whether the connection reads the response's stream for its error.
        var isFollowing = false
        /// The writer of the response's stream.
        var writer: NetworkBytes.Writer?
    }

    /// The time that the server has to close the connection after a close frame.
    private static let closeTimeout = Duration.seconds(5)

    let call: NetworkCall
    private let wake: @Sendable () -> Void
    private let shared: Mutex<Shared>

    private init(_ call: NetworkCall, wake: @escaping @Sendable () -> Void) {
        self.call = call
        self.wake = wake
        shared = Mutex(Shared(socket: State(host: call.origin.hostAndPort, limit: call.bufferLimit)))
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
        connection.shared.withLock { $0.writer = writer }
        return (connection, bytes)
    }

    var peerClose: WebSocketClose? { shared.withLock { $0.socket.peerClose } }

    // MARK: The app's side

    /// Returns the next message, or `nil` after the last one. Cancelling the task ends the connection.
    func receive() async -> Received {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                switch shared.withLock({ $0.socket.receive(continuation) }) {
                case .message(let message, let resumes):
                    if resumes { wake() }
                    continuation.resume(returning: .success(message))
                case .end(let end): continuation.resume(returning: end.map { nil })
                case .wait: break
                }
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Sends a message. Returns when the system has taken all of it.
    func send(_ message: WebSocketMessage) async -> Outcome {
        await wait { socket, id, waiter in socket.send(message, id: id, waiter) }
    }

    /// Sends a ping. Returns when its pong has arrived.
    func ping() async -> Outcome {
        await wait { socket, id, waiter in socket.ping(id: id, waiter) }
    }

    /// Sends a close frame after the messages before it. Returns when that of the server has arrived.
    func close(_ close: WebSocketClose) async -> Outcome {
        if shared.withLock({ $0.socket.close(close) }) { limitClosing() }
        return await wait { socket, id, waiter in socket.awaitClose(id: id, waiter) }
    }

    private func wait(_ begin: (inout State, UInt64, Waiter) -> Outcome?) async -> Outcome {
        let id = shared.withLock { $0.socket.makeID() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let outcome = shared.withLock { begin(&$0.socket, id, continuation) }
                if let outcome { return continuation.resume(returning: outcome) }
                wake()
                // The handler may have run before the task was added.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Ends a wait. A message of which nothing was sent is dropped.
    private func cancel(_ id: UInt64) {
        shared.withLock { $0.socket.cancel(id: id) }?.resume(returning: .failure(.cancelled))
    }

    /// Ends the connection with the stream of the response, which has no chunks.
    func follow(_ stream: NetworkBytes) {
        shared.withLock { $0.isFollowing = true }
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
        if !shared.withLock({ $0.isFollowing }) { stop(.cancelled) }
    }

    /// Ends the connection at once, and drops the unread messages.
    func stop(_ error: NetworkError) {
        finish { $0.stop(error) }
        wake()
    }

    /// Ends a connection that the app has released. If it is being closed, it has the usual time for that.
    func release() {
        finish { $0.release() }
        wake()
    }

    // MARK: The side of the loop's thread

    /// Whether the socket has to be closed.
    var isOver: Bool { shared.withLock { $0.socket.isOver } }

    /// Returns whether the link may read. If not, it is woken when it may.
    func mayRead() -> Bool { shared.withLock { $0.socket.mayRead() } }

    /// Notes that something has arrived.
    func heard() {
        shared.withLock { $0.socket.heard() }
    }

    /// Returns the next frame to send, and the identifier of the message that is complete with it.
    func nextFrame() -> (frame: Data, message: UInt64?)? { shared.withLock { $0.socket.nextFrame() } }

    func didSend(_ message: UInt64) {
        shared.withLock { $0.socket.didSend(message) }?.resume(returning: .success(()))
    }

    func receive(_ event: FrameReader.Event) {
        switch event {
        case .message(let message):
            shared.withLock { $0.socket.receive(message) }?.resume(returning: .success(message))
        case .ping(let payload): shared.withLock { $0.socket.receive(ping: payload) }
        case .pong(let payload):
            shared.withLock { $0.socket.receive(pong: payload) }?.resume(returning: .success(()))
        case .close(let close): end(.success(()), sending: close, received: close)
        }
    }

    /// Ends the messages with an error, and sends the server a close frame.
    func fail(_ error: NetworkError, sending close: WebSocketClose) {
        end(.failure(error), sending: close, received: nil)
    }

    private func end(_ outcome: Outcome, sending close: WebSocketClose, received: WebSocketClose?) {
        let ending = shared.withLock { $0.socket.end(outcome, sending: close, received: received) }
        if ending.beginsToClose { limitClosing() }
        resume(ending)
    }

    /// Handles the end of the connection. Everything that still waits fails with the error.
    func finish(_ error: NetworkError? = nil) {
        finish { $0.finish(error) }
    }

    /// Handles an event that ends the connection, unless it returns `nil`.
    private func finish(_ event: @Sendable (inout State) -> State.Ending?) {
        typealias Ended = (ending: State.Ending, timers: [@Sendable () -> Void], writer: NetworkBytes.Writer?)
        let ended = shared.withLock { shared -> Ended? in
            guard let ending = event(&shared.socket) else { return nil }
            defer { shared.cancelTimers = [] }
            return (ending, shared.cancelTimers, shared.writer)
        }
        guard let ended else { return }
        for cancel in ended.timers { cancel() }
        resume(ended.ending)
        ended.writer?.finish()
    }

    private func resume(_ ending: State.Ending) {
        for reader in ending.readers { reader.resume(returning: ending.end.map { nil }) }
        for (waiter, outcome) in ending.waiters { waiter.resume(returning: outcome) }
    }

    // MARK: Time

    /// Sends a ping when nothing has arrived for a time. Ends the connection when nothing follows in that time.
    func keepAlive(every interval: Duration) {
        let cancel = call.clock.schedule(interval) { [weak self] in
            guard let self else { return }
            switch shared.withLock({ $0.socket.check() }) {
            case .stop: return
            case .timeOut: return timedOut(interval)
            case .ping: wake()
            case .goOn: break
            }
            keepAlive(every: interval)
        }
        let isOver = shared.withLock { shared in
            let isOver = shared.socket.isClosing || shared.socket.isOver
            // The timer that has fired is the only one before the connection closes.
            if !shared.socket.isClosing { shared.cancelTimers = [cancel] }
            return isOver
        }
        if isOver { cancel() }
    }

    /// Ends the connection some time after it began to close.
    private func limitClosing() {
        let cancel = call.clock.schedule(Self.closeTimeout) { [weak self] in self?.timedOut(Self.closeTimeout) }
        let isOver = shared.withLock { shared in
            shared.cancelTimers.append(cancel)
            return shared.socket.isOver
        }
        if isOver { cancel() }
    }

    private func timedOut(_ limit: Duration) {
        finish(
            .timedOut(
                NetworkError.Timeout(limit: .attempt, after: limit, host: call.origin.hostAndPort)))
        wake()
    }
}
