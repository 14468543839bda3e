public import Foundation

/// An HTTP/1.1 server on 127.0.0.1, for tests of what is really sent and received.
///
/// It listens on a port that the system chooses, records everything that it receives, and sends exactly what the test
/// tells it to, faults included. Any number of servers can run at once. Each has its own thread.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.path == "/health" ? .text("fine") : .status(404)
/// }
/// let (data, _) = try await session.data(
///     from: server.url.appending(path: "health"))
/// XCTAssertEqual(server.requests.map(\.target), ["/health"])
/// ```
///
/// The server runs until ``stop()`` is called, or until it is released.
public final class LoopbackServer: Sendable {
    /// A closure that returns the response to a request.
    ///
    /// It is called on the server's thread, for one request after the other, so it must not block. To delay a response,
    /// use a step. An error that it throws becomes a response with the status 500.
    public typealias Handler = @Sendable (LoopbackRequest) throws -> StubResponse

    /// The port on 127.0.0.1.
    public let port: Int
    let journal = Journal(LoopbackEntries())
    private let bell: LoopbackBell
    private let thread: LoopbackThread

    /// Starts a server that responds to each request after it was received completely.
    ///
    /// - Parameters:
    ///   - bodies: What is done with received bodies. Default: they are kept.
    ///   - onHead: A closure that may respond as soon as the head of a request was received, to reject an upload or to
    ///     interrupt it. Its request has no body. If it returns `nil`, the handler responds, and `Expect: 100-continue`
    ///     gets an interim response with the status 100 first (RFC 9110 section 10.1.1). Default: `nil`, the handler
    ///     responds to every request.
    ///   - handler: A closure that returns the response to a request.
    /// - Throws: ``SocketError`` if the system can't create a socket.
    public init(
        bodies: BodyHandling = .kept,
        onHead: (@Sendable (LoopbackRequest) -> StubResponse?)? = nil,
        handler: @escaping Handler
    ) throws(SocketError) {
        let (listener, port) = try Socket.makeListener()
        let ends: (reader: Socket, writer: Socket)
        do {
            ends = try Socket.makePipe()
        } catch {
            listener.release()
            throw error
        }
        self.port = port
        bell = LoopbackBell(ends.writer)
        let service = LoopbackConnection.Service(
            bodies: bodies, onHead: onHead, onRequest: handler, journal: journal, bell: bell)
        thread = LoopbackThread(LoopbackLoop(listener: listener, ringing: ends.reader, service: service))
    }

    /// Starts a server that sends responses in order, whatever the requests, and the last one repeatedly.
    ///
    /// - Parameters:
    ///   - responses: The responses. Without any, every request gets the status 500.
    ///   - bodies: What is done with received bodies. Default: they are kept.
    /// - Throws: ``SocketError`` if the system can't create a socket.
    public convenience init(responses: [StubResponse], bodies: BodyHandling = .kept) throws(SocketError) {
        let next = responses.inTurn()
        try self.init(bodies: bodies) { _ in
            next() ?? .text("The server has no responses. Pass at least one.\n", status: 500)
        }
    }

    deinit {
        stop()
    }

    /// The URL `http://127.0.0.1:PORT`, without a slash at the end.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }

    /// The requests that were received completely so far, in that order.
    public var requests: [LoopbackRequest] { journal.entries.requests }

    /// The number of connections that were accepted so far.
    public var connectionCount: Int { journal.entries.connectionCount }

    /// The number of connections that are open now, as far as the server has noticed.
    public var openConnectionCount: Int {
        let entries = journal.entries
        return entries.connectionCount - entries.endedConnections.count
    }

    /// Closes the port and all connections.
    ///
    /// All descriptors are closed when it returns, unless the handler calls it or is still running. Stopping again has
    /// no effect. The recorded requests remain available.
    public func stop() {
        bell.stop()
        thread.waitUntilOver(within: .seconds(5))
    }
}

extension LoopbackServer {
    /// Waits for a request.
    ///
    /// - Parameters:
    ///   - index: The index of the request in ``requests``.
    ///   - limit: The longest time to wait. Default: 30 seconds.
    /// - Returns: The request, as soon as it was received completely.
    /// - Throws: `WaitingError.timedOut` when the limit is reached, `.stopped` or `.cancelled` if that happens first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> LoopbackRequest {
        try await journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    /// Waits until a connection has ended, by the client or the server.
    ///
    /// - Parameters:
    ///   - connection: The number of the connection, counted from 0.
    ///   - limit: The longest time to wait. Default: 30 seconds.
    /// - Throws: `WaitingError.timedOut` when the limit is reached, `.stopped` or `.cancelled` if that happens first.
    public func waitForDisconnection(
        of connection: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) {
        _ = try await journal.entries("the end of connection \(connection)", within: limit) {
            $0.endedConnections.contains(connection)
        }
    }
}

/// What a ``LoopbackServer`` does with received bodies.
@nonexhaustive
public enum BodyHandling: Sendable {
    /// Keeps them in memory.
    case kept
    /// Counts their bytes and drops them, for uploads that would fill the memory.
    case counted
}

/// The entries of a server's journal.
struct LoopbackEntries: JournalEntries {
    var requests: [LoopbackRequest] = []
    var connectionCount = 0
    var endedConnections: Set<Int> = []

    var received: [String] { requests.map(\.description) }
}
