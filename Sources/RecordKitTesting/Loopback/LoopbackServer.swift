public import Foundation

/// A small HTTP/1.1 server on 127.0.0.1, for tests that want the truth on the wire.
///
/// It listens on a port that the system chooses, keeps all that it receives, and sends exactly what the test tells it
/// to, faults included. Any number of servers run at once; each has one thread of its own.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.path == "/health" ? .text("fine") : .status(404)
/// }
/// let (data, _) = try await session.data(from: server.url.appending(path: "health"))
/// XCTAssertEqual(server.requests.map(\.target), ["/health"])
/// ```
///
/// The server runs until `stop()`, or until nothing refers to it any more.
public final class LoopbackServer: Sendable {
    /// Decides what to answer a request with. It is called on the server's thread, one request after the other, so it
    /// must not block: to hold an answer back is a step of the answer. What it throws becomes a 500 that says so.
    public typealias Handler = @Sendable (LoopbackRequest) throws -> LoopbackAnswer

    /// The port on 127.0.0.1.
    public let port: Int
    let journal = Journal(LoopbackEntries())
    private let bell: LoopbackBell
    private let thread: LoopbackThread

    /// Starts a server whose handler answers each request once it is whole.
    ///
    /// - Parameters:
    ///   - bodies: what is done with the bodies received; by default they are kept.
    ///   - onHead: may answer when a request's head has arrived, ahead of its body: to refuse an upload, or break it
    ///     off. The request that it sees has no body. Nil leaves the answer to the handler; before it waits for the
    ///     body, the server then answers `Expect: 100-continue` with 100 (RFC 9110 section 10.1.1).
    ///   - handler: decides what to answer.
    /// - Throws: `SocketError` when the system has no socket to give.
    public init(
        bodies: BodyHandling = .kept,
        onHead: (@Sendable (LoopbackRequest) -> LoopbackAnswer?)? = nil,
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

    /// Starts a server that gives these answers in order, whatever is asked; the last one again and again.
    ///
    /// With no answers at all, every request gets a 500.
    public convenience init(answers: [LoopbackAnswer], bodies: BodyHandling = .kept) throws(SocketError) {
        let next = answers.inTurn()
        try self.init(bodies: bodies) { _ in next() ?? .text("No answer is left.\n", status: 500) }
    }

    deinit {
        stop()
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public var url: URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = port
        return components.url ?? URL(filePath: "/")
    }

    /// The requests received whole so far, in the order in which they became whole.
    public var requests: [LoopbackRequest] { journal.entries.requests }

    /// How many connections have been accepted so far.
    public var connectionCount: Int { journal.entries.connectionCount }

    /// How many connections are open now, as far as the server has noticed.
    public var openConnectionCount: Int {
        let entries = journal.entries
        return entries.connectionCount - entries.endedConnections.count
    }

    /// Closes the port and every connection. When it returns all descriptors are closed, unless the handler calls it
    /// or is still at work. Stopping twice is fine; what was received can still be asked for.
    public func stop() {
        bell.stop()
        thread.waitUntilOver(within: .seconds(5))
    }
}

extension LoopbackServer {
    /// The request with this index in `requests`, as soon as it has arrived whole.
    ///
    /// - Throws: `.timedOut` if it does not come within the limit, `.stopped` or `.cancelled` if that happens first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> LoopbackRequest {
        try await journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    /// The request whose head was received as number `index`, counted from 0, as soon as that head has arrived. It has
    /// no body; its body may still be under way, or never come.
    ///
    /// - Throws: as `request(at:within:)`.
    public func head(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> LoopbackRequest {
        try await journal.entries("the head of request \(index)", within: limit) { $0.heads.indices.contains(index) }
            .heads[index]
    }

    /// Returns once the connection with this number has ended, whoever ended it.
    ///
    /// - Throws: as `request(at:within:)`.
    public func disconnection(
        of connection: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) {
        _ = try await journal.entries("the end of connection \(connection)", within: limit) {
            $0.endedConnections.contains(connection)
        }
    }
}

/// What a `LoopbackServer` does with the bodies that it receives.
public enum BodyHandling: Sendable {
    /// Keeps them whole, in memory.
    case kept
    /// Counts their bytes and drops them: for uploads that would fill the memory.
    case counted
}

/// What a server has seen.
struct LoopbackEntries: JournalEntries {
    var heads: [LoopbackRequest] = []
    var requests: [LoopbackRequest] = []
    var connectionCount = 0
    var endedConnections: Set<Int> = []

    var received: [String] {
        requests.map(\.description)
    }
}
