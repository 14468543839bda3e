#if os(Linux)
import Foundation

/// The server's end of an HTTP/2 connection without TLS (RFC 9113). A script writes its frames, right or wrong.
struct HTTP2Peer {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    /// The last frame of a stream, or the acknowledgement of settings.
    static let end: UInt8 = 1
    static let endOfHeaders: UInt8 = 4

    let connection: ScriptServer.Connection
    /// The stream of the request.
    let stream: UInt32
    /// Whether the request has a body.
    private let hasBody: Bool
    private let input: Input

    /// Starts a server whose script writes the response to one request of each connection.
    static func server(_ script: @escaping @Sendable (HTTP2Peer) -> Void) throws -> ScriptServer {
        try ScriptServer { connection in
            guard let peer = HTTP2Peer(connection) else { return }
            script(peer)
        }
    }

    /// Exchanges settings, and reads up to the head of a request. Returns `nil` if the client doesn't use HTTP/2.
    init?(_ connection: ScriptServer.Connection) {
        let input = Input(connection)
        guard input.take(24) == Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else { return nil }
        connection.write(Self.frame(.settings))
        while let frame = input.frame() {
            switch frame.kind {
            case .settings where frame.flags & Self.end == 0: connection.write(Self.frame(.settings, Self.end))
            case .headers:
                self.init(connection, input, frame)
                return
            default: break
            }
        }
        return nil
    }

    private init(_ connection: ScriptServer.Connection, _ input: Input, _ head: Input.Frame) {
        (self.connection, self.input) = (connection, input)
        (stream, hasBody) = (head.stream, head.flags & Self.end == 0)
    }

    /// Has a function respond to the request, and to all others of the connection, until its end.
    ///
    /// - Parameter respond: Called with each request, and its body, when it is whole.
    func serve(_ respond: (HTTP2Peer, Data) -> Void) {
        if !hasBody { respond(self, Data()) }
        var requests = [stream: (peer: self, body: Data())]
        while let frame = input.frame() {
            if frame.kind == .headers {
                requests[frame.stream] = (HTTP2Peer(connection, input, frame), Data())
            } else if frame.kind == .data {
                requests[frame.stream]?.body += frame.payload
            } else {
                continue
            }
            guard frame.flags & Self.end != 0, let request = requests.removeValue(forKey: frame.stream) else {
                continue
            }
            respond(request.peer, request.body)
        }
    }

    /// What has arrived on a connection.
    private final class Input {
        private let connection: ScriptServer.Connection
        private(set) var bytes = Data()

        init(_ connection: ScriptServer.Connection) {
            self.connection = connection
        }

        func take(_ count: Int) -> Data? {
            while bytes.count < count {
                let more = connection.read()
                if more.isEmpty { return nil }
                bytes += more
            }
            defer { bytes = Data(bytes.dropFirst(count)) }
            return Data(bytes.prefix(count))
        }

        struct Frame {
            let kind: Kind?
            let flags: UInt8
            let stream: UInt32
            let payload: Data
        }

        /// Frames that came before the acknowledgement of a ping.
        private var passed: [Frame] = []

        func frame() -> Frame? { passed.isEmpty ? read() : passed.removeFirst() }

        func waitForAcknowledgement() {
            while let frame = read(), frame.kind != .ping { passed.append(frame) }
        }

        private func read() -> Frame? {
            guard let head = take(9), let payload = take(head[..<3].reduce(0) { $0 << 8 | Int($1) }) else { return nil }
            let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
            return Frame(kind: Kind(rawValue: head[3]), flags: head[4], stream: stream, payload: payload)
        }
    }

    /// The number of bytes that came with the head of the request.
    var unreadCount: Int { input.bytes.count }

    /// Writes a frame of the request's stream.
    func write(_ kind: Kind, _ flags: UInt8 = 0, _ payload: Data = Data()) {
        connection.write(Self.frame(kind, flags, stream, payload))
    }

    /// Writes the head of a response with another status. Nothing follows it.
    func writeHead(status: Int, _ fields: [(String, String)] = []) {
        write(.headers, Self.end | Self.endOfHeaders, Self.encoded([(":status", "\(status)")] + fields))
    }

    /// Writes the head of a response with status 200, in as many frames as it needs.
    ///
    /// - Parameter flags: What the first frame says besides.
    func writeHead(_ fields: [(String, String)] = [], _ flags: UInt8 = 0) {
        // Status 200 has the index 8 (RFC 7541 appendix A).
        var rest = Data([0x88]) + Self.encoded(fields)
        var kind = Kind.headers
        repeat {
            let part = rest.prefix(16_384)
            rest = Data(rest.dropFirst(part.count))
            write(kind, (rest.isEmpty ? Self.endOfHeaders : 0) | (kind == .headers ? flags : 0), part)
            kind = .continuation
        } while !rest.isEmpty
    }

    /// Ends the stream with a code (RFC 9113 section 7), zero for `NO_ERROR`.
    func reset(_ code: UInt32) { write(.reset, 0, Self.bigEndian(code)) }

    /// Waits until the client has received what was written. A request that comes meanwhile is read by `serve`.
    func ping() {
        connection.write(Self.frame(.ping, 0, 0, Data(count: 8)))
        input.waitForAcknowledgement()
    }

    /// Says that no request after this stream was or will be processed (RFC 9113 section 6.8).
    func goAway(_ stream: UInt32) {
        connection.write(Self.frame(.goAway, 0, 0, Self.bigEndian(stream) + Data(count: 4)))
    }

    /// Closes the connection, although the script goes on.
    func close() { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }

    /// Waits until the client closes the connection, or says that it is going to (GOAWAY).
    func waitForEnd() {
        var bytes = Data()
        while true {
            let more = connection.read()
            if more.isEmpty { return }
            bytes += more
            while bytes.count >= 9 {
                let length = 9 + bytes.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                if bytes[3] == Kind.goAway.rawValue { return }
                if bytes.count < length { break }
                bytes = Data(bytes.dropFirst(length))
            }
        }
    }

    static func frame(_ kind: Kind, _ flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: Data = Data()) -> Data {
        let length = UInt32(payload.count)
        return bigEndian(length).dropFirst() + Data([kind.rawValue, flags]) + bigEndian(stream) + payload
    }

    /// Returns fields as literals without an index and without Huffman codes (RFC 7541 section 6.2.2).
    static func encoded(_ fields: [(String, String)]) -> Data {
        fields.reduce(into: Data()) { bytes, field in
            bytes.append(0)
            for text in [field.0, field.1] { bytes += length(text.utf8.count) + Data(text.utf8) }
        }
    }

    /// Returns an integer with a prefix of 7 bits (RFC 7541 section 5.1).
    private static func length(_ count: Int) -> Data {
        if count < 127 { return Data([UInt8(count)]) }
        var (bytes, rest) = (Data([127]), count - 127)
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + Data([UInt8(rest)])
    }

    static func bigEndian(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
#endif
