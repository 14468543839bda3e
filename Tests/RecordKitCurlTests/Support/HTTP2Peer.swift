#if os(Linux)
import Foundation

/// The server's end of an HTTP/2 connection without TLS (RFC 9113). A script writes its frames, right or wrong.
struct HTTP2Peer {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
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

    /// Starts a server whose script writes the response to one request of each connection.
    static func server(_ script: @escaping @Sendable (HTTP2Peer) -> Void) throws -> ScriptServer {
        try ScriptServer { connection in
            guard let peer = HTTP2Peer(connection) else { return }
            script(peer)
        }
    }

    /// Exchanges settings, and reads up to the head of a request.
    private init?(_ connection: ScriptServer.Connection) {
        self.connection = connection
        var bytes = Data()
        func take(_ count: Int) -> Data? {
            while bytes.count < count {
                let more = connection.read()
                if more.isEmpty { return nil }
                bytes += more
            }
            defer { bytes = Data(bytes.dropFirst(count)) }
            return Data(bytes.prefix(count))
        }
        guard take(24) == Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else { return nil }
        connection.write(Self.frame(.settings))
        while let head = take(9), take(head[..<3].reduce(0) { $0 << 8 | Int($1) }) != nil {
            switch Kind(rawValue: head[3]) {
            case .settings where head[4] & Self.end == 0: connection.write(Self.frame(.settings, Self.end))
            case .headers:
                stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
                return
            default: break
            }
        }
        return nil
    }

    /// Writes a frame of the request's stream.
    func write(_ kind: Kind, _ flags: UInt8 = 0, _ payload: Data = Data()) {
        connection.write(Self.frame(kind, flags, stream, payload))
    }

    /// Writes the head of a response with status 200.
    func writeHead(_ fields: [(String, String)] = []) {
        // Status 200 has the index 8 (RFC 7541 appendix A).
        write(.headers, Self.endOfHeaders, Data([0x88]) + Self.encoded(fields))
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
            for text in [field.0, field.1] { bytes += Data([UInt8(text.utf8.count)]) + Data(text.utf8) }
        }
    }

    static func bigEndian(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
#endif
