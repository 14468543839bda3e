public import RecordKit

/// A connection on which a client and a server send each other messages (RFC 6455).
///
/// ```swift
/// let socket = try await network.webSocket(for: Orders())
/// try await socket.send(.text(#"{"subscribe": "LP-0042"}"#))
/// for try await message in socket.messages { print(message) }
/// ```
///
/// The connection responds to pings. The connection ends in any of these cases:
/// - Either end closes it. ``messages`` then end, and ``peerClose`` has the code and the reason of the server.
/// - The task that reads ``messages`` is cancelled, or ``cancel()`` or the manager's `cancelAll()` is called.
/// - The last copy of this value, of ``messages`` and of its iterators is released.
/// - The connection breaks, or the server violates the protocol.
///
/// Messages are read ahead up to `RequestOptions.bufferLimit`. While more are unread, nothing is received, so no ping
/// of the server is answered: read the messages even if they are of no interest.
public struct WebSocket<Failure: NetworkFailure>: Sendable {
    /// The response that accepted the connection, with the status 101.
    public let response: NetworkResponse
    private let owner: Owner

    init(_ connection: WebSocketConnection, _ response: NetworkResponse) {
        owner = Owner(connection)
        self.response = response
    }

    /// The messages of the server. Everything that reads them shares them.
    public var messages: Messages { Messages(owner: owner) }

    /// The subprotocol that the server chose among those in the request's `Sec-WebSocket-Protocol`, if any.
    public var subprotocol: String? { response.headers["Sec-WebSocket-Protocol"] }

    /// The code and the reason with which the server closed the connection. `nil` if it hasn't done so.
    public var peerClose: WebSocketClose? { owner.connection.peerClose }

    /// Returns the next message, or `nil` after the server has closed the connection.
    ///
    /// Cancelling the task ends the connection.
    ///
    /// - Throws: The error that ended the connection, for `NetworkError.tooLarge(_:)` if a message exceeds
    ///   `RequestOptions.sizeLimit`.
    public func receive() async throws(Failure) -> WebSocketMessage? {
        try await owner.connection.receive().mapError(Failure.init).get()
    }

    /// Sends a message. Returns when the system has taken it, so that a slow server slows its sender.
    ///
    /// Messages are sent in the order of the calls. Cancelling the task drops the message, unless a part of it was
    /// sent: then the rest follows, and the connection goes on.
    ///
    /// - Parameter message: The message.
    /// - Throws: The error that ended the connection, for `NetworkError.connection(_:)` with a ``WebSocketClose`` as
    ///   its cause if the connection was closed.
    public func send(_ message: WebSocketMessage) async throws(Failure) {
        try await owner.connection.send(message).mapError(Failure.init).get()
    }

    /// Sends a ping, and returns when the server has answered it.
    ///
    /// There is no time limit. Cancelling the task ends the wait alone.
    ///
    /// - Throws: The error that ended the connection, as for ``send(_:)``.
    public func ping() async throws(Failure) {
        try await owner.connection.ping().mapError(Failure.init).get()
    }

    /// Closes the connection after the messages that are being sent. Returns when the server has answered.
    ///
    /// Messages that arrive meanwhile can still be read. The server has 5 seconds. If the connection is already closed,
    /// returns at once.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: The reason, at most 123 bytes of UTF-8.
    /// - Throws: The error that ended the connection, for `NetworkError.invalidRequest(_:)` if the code can't be sent
    ///   or the reason is too long.
    public func close(code: WebSocketClose.Code = .normal, reason: String = "") async throws(Failure) {
        let close = WebSocketClose(code, reason: reason)
        if let invalidReason = close.invalidReason {
            let call = owner.connection.call
            throw Failure(
                .invalidRequest(
                    NetworkError.InvalidRequest(
                        request: call.name, member: .body, reason: invalidReason, mayHaveReachedServer: true)))
        }
        try await owner.connection.close(close).mapError(Failure.init).get()
    }

    /// Ends the connection at once, without a close frame. Whatever waits fails as cancelled.
    public func cancel() {
        owner.connection.stop(.cancelled)
    }

    /// Ends the connection when it is released.
    fileprivate final class Owner: Sendable {
        let connection: WebSocketConnection

        init(_ connection: WebSocketConnection) {
            self.connection = connection
        }

        deinit {
            connection.release()
        }
    }

    /// The messages of the server, in order.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let owner: Owner

        /// Returns an iterator over the unread messages. All iterators share them.
        public func makeAsyncIterator() -> Iterator { Iterator(owner: owner) }

        /// Iterates over the messages.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let owner: Owner

            /// Returns the next message, or `nil` after the server has closed the connection.
            ///
            /// Cancelling the task ends the connection.
            ///
            /// - Throws: The error that ended the connection, as for ``WebSocket/receive()``.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure)
                -> WebSocketMessage?
            {
                try await owner.connection.receive().mapError(Failure.init).get()
            }
        }
    }
}

extension WebSocketClose {
    /// What is wrong with a close frame of this end. `nil` if it can be sent.
    fileprivate var invalidReason: String? {
        if !code.canBeSent {
            return "the close code \(code.rawValue) must not be sent (RFC 6455 section 7.4); use one from 4000 to 4999"
        }
        let count = reason.utf8.count
        return count > Frame.controlLimit - 2 ? "the reason takes \(count) bytes; it may take 123" : nil
    }
}
