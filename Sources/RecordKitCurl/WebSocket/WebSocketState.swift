import Foundation
import RecordKit

/// An open WebSocket without its socket, tasks and timers: each event returns what is to be done.
///
/// `Reader` stands for a task that waits for a message, and `Waiter` for one that waits for something else.
struct WebSocketState<Reader, Waiter> {
    typealias Outcome = Result<Void, NetworkError>

    /// What a task waits for.
    enum Wait {
        case sent, pong, closed
    }

    /// The tasks that don't wait any more.
    struct Ending {
        /// Those that wait for messages, and the end of the messages.
        let readers: [Reader]
        let end: Outcome
        let waiters: [(waiter: Waiter, outcome: Outcome)]
        /// Whether the connection begins to close.
        let beginsToClose: Bool
    }

    /// What a timer does when it fires.
    enum Check {
        case goOn
        /// Has the ping sent that was added.
        case ping
        /// Ends the connection: the server is silent.
        case timeOut
        case stop
    }

    private let host: String
    private var messages: IncomingMessages<Reader>
    private var frames = OutgoingFrames()
    private var heartbeat = WebSocketHeartbeat()
    private var waiting: [UInt64: (wait: Wait, waiter: Waiter)] = [:]
    private var lastID: UInt64 = 0
    /// The close frame of the server.
    private(set) var peerClose: WebSocketClose?
    /// Whether the socket is closed, or has to be.
    private(set) var isOver = false

    /// Begins with an open connection.
    ///
    /// - Parameters:
    ///   - host: The server, for errors.
    ///   - limit: The size of the unread messages at which nothing more is read.
    init(host: String, limit: Int) {
        self.host = host
        messages = IncomingMessages(limit: limit)
    }

    var isClosing: Bool { frames.isClosing }

    // MARK: Events of the app

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func receive(_ reader: Reader) -> IncomingMessages<Reader>.Reading {
        messages.take(for: reader)
    }

    /// Handles a message to send. Returns how that ends, or `nil` if the task has to wait.
    mutating func send(_ message: WebSocketMessage, id: UInt64, _ waiter: Waiter) -> Outcome? {
        if let outcome = outcome(of: .sent) { return outcome }
        waiting[id] = (.sent, waiter)
        frames.add(message, id: id)
        return nil
    }

    /// Handles a ping to send. Returns how that ends, or `nil` if the task has to wait.
    mutating func ping(id: UInt64, _ waiter: Waiter) -> Outcome? {
        if let outcome = outcome(of: .pong) { return outcome }
        waiting[id] = (.pong, waiter)
        frames.addPing(id: id)
        return nil
    }

    /// Begins to close the connection. Returns false if it is closing already, or closed.
    mutating func close(_ close: WebSocketClose) -> Bool {
        !isOver && frames.add(close)
    }

    /// Handles a task that waits for the close frame of the server. Returns how that ends, or `nil` if it has to wait.
    mutating func awaitClose(id: UInt64, _ waiter: Waiter) -> Outcome? {
        if let outcome = outcome(of: .closed) { return outcome }
        waiting[id] = (.closed, waiter)
        return nil
    }

    /// Returns the outcome of what is done after the connection was closed, or `nil` while it is open.
    private func outcome(of wait: Wait) -> Outcome? {
        if case .failure(let error) = messages.end { return .failure(error) }
        if wait == .closed { return messages.end }
        guard isClosing || isOver else { return nil }
        return .failure(lost(peerClose ?? frames.waitingClose))
    }

    /// Ends a wait. Returns its task, if it still waits. A message of which nothing was sent is dropped.
    mutating func cancel(id: UInt64) -> Waiter? {
        frames.cancel(id: id)
        return waiting.removeValue(forKey: id)?.waiter
    }

    /// Ends the connection at once, and drops the unread messages.
    mutating func stop(_ error: NetworkError) -> Ending {
        messages.drop(error)
        return finish(error)
    }

    /// Handles the release by the app. A connection that is being closed has the usual time for that.
    ///
    /// - Returns: The tasks that end with the connection, or `nil` if the connection is being closed.
    mutating func release() -> Ending? {
        guard isClosing, !isOver else { return stop(.cancelled) }
        // What the server still sends is dropped.
        messages.dropAll(.cancelled)
        return nil
    }

    // MARK: Events of the link

    mutating func mayRead() -> Bool { messages.mayRead() }

    /// Notes that something has arrived.
    mutating func heard() {
        heartbeat.heard()
    }

    /// Takes the next frame to send, and the identifier of the message that is complete with it.
    mutating func nextFrame() -> (frame: Data, message: UInt64?)? { frames.next() }

    /// Handles the end of a message. Returns the task that waits for it.
    mutating func didSend(_ message: UInt64) -> Waiter? { waiting.removeValue(forKey: message)?.waiter }

    /// Handles a message. Returns the reader that gets it, if one waits.
    mutating func receive(_ message: WebSocketMessage) -> Reader? { messages.receive(message) }

    mutating func receive(ping payload: Data) {
        frames.addPong(payload)
    }

    /// Handles a pong. Returns the task that waits for it.
    mutating func receive(pong payload: Data) -> Waiter? {
        guard let id = OutgoingFrames.ping(of: payload), waiting[id]?.wait == .pong else { return nil }
        return waiting.removeValue(forKey: id)?.waiter
    }

    /// Ends the messages, and answers with a close frame. The socket stays open until the server closes it.
    ///
    /// - Parameters:
    ///   - close: The close frame to send, unless there is one already.
    ///   - received: The close frame of the server, if there was one.
    mutating func end(_ end: Outcome, sending close: WebSocketClose, received: WebSocketClose?) -> Ending {
        peerClose = received
        let readers = messages.end(end)
        let isFirst = frames.add(close)
        frames.removeAll(pongs: true)
        let lost = lost(close)
        let waiters = takeWaiting().map { wait, waiter -> (Waiter, Outcome) in
            if case .success = end, wait != .closed { return (waiter, .failure(lost)) }
            return (waiter, end)
        }
        return Ending(readers: readers, end: end, waiters: waiters, beginsToClose: isFirst)
    }

    /// Handles the end of the connection. Everything that still waits fails with the error.
    mutating func finish(_ error: NetworkError?) -> Ending {
        let error = error ?? lost(nil)
        isOver = true
        let readers = messages.end(.failure(error))
        frames.removeAll(pongs: false)
        return Ending(
            readers: readers, end: messages.end ?? .failure(error),
            waiters: takeWaiting().map { ($0.waiter, .failure(error)) }, beginsToClose: false)
    }

    private mutating func takeWaiting() -> [(wait: Wait, waiter: Waiter)] {
        defer { waiting = [:] }
        return Array(waiting.values)
    }

    /// The error for a connection that is closed.
    private func lost(_ close: WebSocketClose?) -> NetworkError {
        .connection(
            NetworkError.ConnectionFailure(kind: .lost, host: host, mayHaveReachedServer: true, cause: close))
    }

    // MARK: Events of the timer

    /// Judges the interval between two pings. Adds one if nothing has arrived.
    mutating func check() -> Check {
        if isClosing || isOver { return .stop }
        switch heartbeat.check(isPaused: messages.isPaused) {
        case .alive: return .goOn
        case .dead: return .timeOut
        case .quiet:
            frames.addPing(id: makeID())
            return .ping
        }
    }
}
