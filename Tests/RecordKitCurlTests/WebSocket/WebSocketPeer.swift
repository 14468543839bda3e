#if os(Linux)
import Foundation
import RecordKit
import RecordKitCurl
import TestSupport

/// The server's end of a WebSocket, which a script moves with blocking reads and writes.
final class WebSocketPeer {
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: Data
        var isFinal = true
    }

    let connection: ScriptServer.Connection
    /// The head of the request.
    let head: String
    private var unread: Data
    /// The keys that masked the frames so far.
    private(set) var keys: [Data] = []

    /// Reads the head of a request.
    init(_ connection: ScriptServer.Connection) {
        self.connection = connection
        var bytes = Data()
        while bytes.range(of: Data("\r\n\r\n".utf8)) == nil {
            let more = connection.read()
            if more.isEmpty { break }
            bytes += more
        }
        let end = bytes.range(of: Data("\r\n\r\n".utf8))?.upperBound ?? bytes.endIndex
        head = String(decoding: bytes[..<end], as: UTF8.self)
        unread = Data(bytes[end...])
    }

    /// Starts a server that accepts every WebSocket.
    static func server(_ script: @escaping @Sendable (WebSocketPeer) -> Void) throws -> ScriptServer {
        try ScriptServer { connection in
            let peer = WebSocketPeer(connection)
            peer.accept()
            script(peer)
        }
    }

    /// Starts a server that returns every message, and answers the close frame.
    static func echo() throws -> ScriptServer {
        try server { peer in
            while let frame = peer.read() {
                peer.write(frame)
                if frame.opcode == 8 { return }
            }
        }
    }

    /// Accepts the WebSocket, with further header lines.
    func accept(_ lines: String = "") {
        connection.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(acceptance)\r\n\(lines)\r\n")
    }

    /// The value that accepts the key of the request.
    var acceptance: String { Self.acceptance(of: field("Sec-WebSocket-Key")) }

    func field(_ name: String) -> String {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
        return line.map { String($0.dropFirst(name.utf8.count + 2)) } ?? ""
    }

    /// Returns the next frame, or `nil` at the end or for a frame without a mask.
    func read() -> Frame? {
        guard let start = take(2), start[1] & 0x80 != 0 else { return nil }
        var length = Int(start[1] & 0x7F)
        if length > 125 {
            guard let bytes = take(length == 126 ? 2 : 8) else { return nil }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let key = take(4), var payload = take(length) else { return nil }
        keys.append(key)
        for index in payload.indices { payload[index] ^= key[index % 4] }
        return Frame(opcode: start[0] & 0x0F, payload: payload, isFinal: start[0] & 0x80 != 0)
    }

    /// Returns whether the client closed the connection, after what it still sends.
    func readsEnd() -> Bool {
        while true { if connection.read().isEmpty { return true } }
    }

    private func take(_ count: Int) -> Data? {
        while unread.count < count {
            let more = connection.read()
            if more.isEmpty { return nil }
            unread += more
        }
        defer { unread = Data(unread.dropFirst(count)) }
        return Data(unread.prefix(count))
    }

    func write(_ opcode: UInt8, _ payload: Data = Data(), isFinal: Bool = true) {
        write(Frame(opcode: opcode, payload: payload, isFinal: isFinal))
    }

    func write(_ frame: Frame) {
        let bytes = Self.bytes(frame)
        var sent = 0
        while sent < bytes.count {
            let count = connection.write(Data(bytes.dropFirst(sent)))
            if count <= 0 { return }
            sent += count
        }
    }

    static func bytes(_ frame: Frame) -> Data {
        var bytes = Data([(frame.isFinal ? 0x80 : 0) | frame.opcode])
        let count = frame.payload.count
        if count < 126 {
            bytes.append(UInt8(count))
        } else {
            let size = count < 65_536 ? 2 : 8
            bytes.append(size == 2 ? 126 : 127)
            for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
        }
        return bytes + frame.payload
    }

    static func closing(_ code: Int, _ reason: String = "") -> Data {
        Data([UInt8(code >> 8), UInt8(code & 255)]) + Data(reason.utf8)
    }

    /// Returns SHA-1 of the key and of the constant of RFC 6455, in Base64.
    static func acceptance(of key: String) -> String {
        var bytes = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        let bits = bytes.count * 8
        bytes += [0x80] + [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        func turn(_ word: UInt32, _ count: Int) -> UInt32 { word << count | word >> (32 - count) }
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { i in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[block + 4 * i + $1]) } }
            for i in 16..<80 { words.append(turn(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1)) }
            var h = hash
            for i in 0..<80 {
                let parity = h[1] ^ h[2] ^ h[3]
                let f = i < 20 ? h[1] & h[2] | ~h[1] & h[3] : i / 20 == 2 ? h[1] & h[2] | h[3] & (h[1] | h[2]) : parity
                let k: UInt32 = [0x5A82_7999, 0x6ED9_EBA1, 0x8F1B_BCDC, 0xCA62_C1D6][i / 20]
                h = [turn(h[0], 5) &+ f &+ h[4] &+ k &+ words[i], h[0], turn(h[1], 30), h[2], h[3]]
            }
            for i in 0..<5 { hash[i] &+= h[i] }
        }
        return Data(hash.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
            .base64EncodedString()
    }
}

extension NetworkManager<Fetch> {
    /// Creates a manager over libcurl for a test's own server.
    init(_ server: ScriptServer, clock: NetworkClock = .continuous) throws {
        var network = NetworkConfiguration(try server.url)
        network.clock = clock
        self.init(network)
    }
}

/// Returns a short description of an error.
func short(_ error: NetworkError) -> String {
    switch error {
    case .status(let response): "refused \(response.statusCode) \(String(decoding: response.body, as: UTF8.self))"
    case .connection(let failure):
        "\(failure.kind)\(failure.mayHaveReachedServer ? "" : " unsent")\(failure.cause.map { ": \($0)" } ?? "")"
    case .invalidRequest(let failure): "invalid \(failure.member)"
    case .badResponse(let failure): "bad response: \(failure.cause.map { "\($0)" } ?? "")"
    case .tooLarge(let failure): "too large: \(failure.limit)"
    case .timedOut(let timeout): "timed out: \(timeout.limit) \(timeout.after)"
    case .cancelled: "cancelled"
    default: "\(error)"
    }
}

/// Returns the error that some work throws, or "none".
func failure(_ work: () async throws(NetworkError) -> Void) async -> String {
    do throws(NetworkError) {
        try await work()
        return "none"
    } catch {
        return short(error)
    }
}
#endif
