import Foundation
import RecordKit

/// The request of a transfer: its body, how often and where it was sent, and whether it may be sent again.
struct RequestSending {
    /// What is known of the response when the request has to be sent again.
    struct Arrival {
        var hasHead = false
        var isOverHTTP2 = false
        /// Whether libcurl has a message about an error.
        var hasMessage = false
    }

    /// How libcurl ended a transfer.
    enum Ending {
        /// The reset of an HTTP/2 stream, with which libcurl (7.88.1) drops the head of a response.
        case droppedHead
        /// The end of the connection.
        case brokenConnection
        case other
    }

    /// What is done before the request is sent.
    enum Step: Equatable {
        /// Sends it. If `corks`, its head and its body are written at once.
        case send(corks: Bool)
        /// Begins again on a new connection. Nothing was sent.
        case beginAgain
        /// Ends the call: the request was sent before, and must not be sent twice.
        case mustNotSendAgain
    }

    private let source: BodySource?
    /// The length of the body, if it is known.
    private let length: Int?
    private let mayBeSentAgain: Bool
    /// Whether HTTP/2 is used without negotiation.
    private let isHTTP2Known: Bool
    /// The sockets that libcurl opened for the transfer.
    private var opened: [Int32] = []
    /// The number of times that libcurl has begun to send the request.
    private(set) var count = 0
    /// The local port of the connection that the request was sent on, and whether it was opened for the request.
    private(set) var port: Int32 = 0
    private var isOnNewConnection = false
    /// Whether the request was sent over HTTP/2, as far as that is known before a response.
    private(set) var isOverHTTP2 = false
    /// Whether to begin again on a new connection. Nothing was sent yet.
    private var needsNewConnection = false

    /// Begins before the request was sent.
    ///
    /// - Parameter resume: A closure that is called when there are bytes again of a body that is made while it is sent.
    init(_ call: NetworkCall, isHTTP2Known: Bool, resume: @escaping @Sendable () -> Void) {
        source = call.body.map { BodySource($0, resume: resume) }
        length = call.body?.length
        mayBeSentAgain = call.method.isIdempotent && call.body?.canBeSentAgain ?? true
        self.isHTTP2Known = isHTTP2Known
    }

    // MARK: The body

    /// The number of bytes of the body that were read.
    var bytes: Int { source?.count ?? 0 }

    /// The fields to send after the body.
    var trailers: HTTPHeaders { source?.trailers ?? HTTPHeaders() }

    /// Reads the next bytes of the body.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> BodySource.Reading {
        try source?.read(into: buffer) ?? .end
    }

    /// Checks an empty body. libcurl reads nothing of it, so a file that has grown would be sent as empty.
    func checkEmptyBody() throws(NetworkError) {
        if length == 0 { _ = try source?.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
    }

    /// Whether a rest of the body isn't sent, as far as a response that is complete doesn't need it.
    ///
    /// Over HTTP/2, libcurl (7.88.1) reads nothing after a whole body, not even that it may send more. A live body may
    /// never end.
    func hasUnneededRest(overHTTP2: Bool) -> Bool {
        guard let source else { return false }
        return length.map { overHTTP2 && source.count != $0 } ?? true
    }

    /// Starts the body again. Returns false if it can't be sent a second time.
    func rewind() -> Bool {
        guard let source else { return true }
        if source.count > 0, !mayBeSentAgain { return false }
        source.rewind()
        return true
    }

    // MARK: Connections

    /// Notes a socket that libcurl opens.
    mutating func opens(_ socket: Int32) {
        opened.append(socket)
    }

    /// Returns the socket that was opened for the transfer and has a local port.
    func socket(port: Int32) -> Int32? {
        opened.first { KeptSockets.port(of: $0) == port }
    }

    /// Handles the moment before the request is sent.
    ///
    /// libcurl sends a request again when a kept connection breaks. If that would be wrong, the call ends.
    ///
    /// - Parameters:
    ///   - port: The local port of the connection.
    ///   - isNew: Whether the connection was opened for the request.
    ///   - hasUnreadBytes: Whether the connection has bytes that nothing asked for.
    ///   - isHTTP2: Whether HTTP/2 was negotiated.
    mutating func willSend(port: Int32, isNew: Bool, hasUnreadBytes: Bool, isHTTP2: @autoclosure () -> Bool) -> Step {
        if hasUnreadBytes {
            needsNewConnection = true
            return .beginAgain
        }
        count += 1
        if count > 1, !mayBeSentAgain { return .mustNotSendAgain }
        (self.port, isOnNewConnection) = (port, isNew)
        isOverHTTP2 = isHTTP2Known || isHTTP2()
        return .send(corks: isOverHTTP2 && length.map { $0 > 0 && $0 <= 64 << 10 } ?? false)
    }

    /// Returns whether to begin again on a new connection after the end of libcurl's work, and does so with the body.
    mutating func beginsAgain(after ending: Ending, hasFailed: Bool, _ arrival: Arrival) -> Bool {
        guard needsNewConnection || mayRepeat(after: ending, hasFailed: hasFailed, arrival) else { return false }
        needsNewConnection = false
        source?.rewind()
        return true
    }

    private func mayRepeat(after ending: Ending, hasFailed: Bool, _ arrival: Arrival) -> Bool {
        if hasFailed || arrival.hasHead || count != 1 || !mayBeSentAgain { return false }
        switch ending {
        // Over HTTP/1.1, libcurl reads a response that comes before the end of the request.
        case .droppedHead: return !isHTTP2Known
        // The server closed a kept HTTP/2 connection while it was used again, with GOAWAY (RFC 9113 section 6.8) or
        // without. libcurl (7.88.1) doesn't always see that the request may be repeated.
        case .brokenConnection: return !arrival.isOverHTTP2 && !isOnNewConnection
        case .other: return false
        }
    }

    /// Returns whether the server certainly didn't process a request that libcurl is about to send again.
    ///
    /// After a first time on a new connection, libcurl does so without a message only if the server refused the HTTP/2
    /// stream: it then hasn't processed the request (RFC 9113 section 8.7). On a connection that others have used, the
    /// server may have closed it.
    func wasRefused(isShared: Bool, _ arrival: Arrival) -> Bool {
        isOnNewConnection && !isShared && !arrival.isOverHTTP2 && !arrival.hasHead && !arrival.hasMessage
    }
}
