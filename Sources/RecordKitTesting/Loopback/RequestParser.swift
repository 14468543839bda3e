import Foundation
import RecordKit

/// Parses the bytes of a connection into requests (RFC 9112).
struct RequestParser {
    enum Event {
        /// The head of a request was received. Its body hasn't been parsed yet.
        case head(LoopbackRequest)
        /// The request was received completely.
        case request(LoopbackRequest)
    }

    /// The reason why the bytes aren't a request.
    struct Malformed: Error {
        let reason: String
    }

    private enum Stage {
        case requestLine, headers, body(Int), chunkSize, chunk(Int), chunkEnd, trailers
    }

    /// The largest size of a head, and so of the buffer: 1 MiB.
    static let limit = 1 << 20

    /// The first byte of TLS (RFC 8446 section 5.1). A TLS client may send no line end, and would wait forever.
    private static let handshake: UInt8 = 0x16

    private let connection: Int
    private let bodies: BodyHandling
    private var buffer: [UInt8] = []
    private var start = 0
    private var stage = Stage.requestLine
    private var request: LoopbackRequest
    private var headLength = 0

    init(connection: Int, bodies: BodyHandling) {
        self.connection = connection
        self.bodies = bodies
        request = LoopbackRequest(connection: connection)
    }

    /// Whether there is room for more bytes.
    var hasRoom: Bool { buffer.count - start < Self.limit }

    /// Whether the head of a request was received, but not its complete body.
    var isInsideBody: Bool {
        switch stage {
        case .requestLine, .headers: false
        case .body, .chunkSize, .chunk, .chunkEnd, .trailers: true
        }
    }

    /// Whether bytes of a body are missing.
    var awaitsBody: Bool {
        if case .body(0) = stage { false } else { isInsideBody }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.removeFirst(start)
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next event in the bytes so far, or `nil` if there are too few.
    mutating func next() throws(Malformed) -> Event? {
        while true {
            switch stage {
            case .body(0):
                return .request(finish())
            case .body(let left):
                guard let taken = takeBody(upTo: left) else { return nil }
                stage = .body(left - taken)
            case .chunk(0):
                stage = .chunkEnd
            case .chunk(let left):
                guard let taken = takeBody(upTo: left) else { return nil }
                stage = .chunk(left - taken)
            case .requestLine, .headers, .chunkSize, .chunkEnd, .trailers:
                if case .requestLine = stage, buffer.dropFirst(start).first == Self.handshake {
                    throw Malformed(reason: "it begins like TLS, and this server only supports http")
                }
                guard let line = try takeLine() else { return nil }
                if let event = try read(line) { return event }
            }
        }
    }

    private mutating func read(_ line: String) throws(Malformed) -> Event? {
        switch stage {
        case .requestLine:
            // An empty line before a request is skipped (RFC 9112 section 2.2).
            if !line.isEmpty {
                try begin(line)
                stage = .headers
            }
        case .headers where line.isEmpty:
            stage = try bodyStage()
            return .head(request)
        case .headers:
            request.headerLines.append(line)
        case .chunkSize:
            let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
                throw Malformed(reason: "'\(line)' isn't a chunk size")
            }
            stage = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard line.isEmpty else { throw Malformed(reason: "a chunk is longer than its size") }
            stage = .chunkSize
        case .trailers where line.isEmpty:
            return .request(finish())
        case .trailers: request.trailerLines.append(line)
        case .body, .chunk: break
        }
        return nil
    }

    private mutating func begin(_ line: String) throws(Malformed) {
        guard let first = line.firstIndex(of: " "), let last = line.lastIndex(of: " "), first < last,
            line[last...].hasPrefix(" HTTP/1.")
        else { throw Malformed(reason: "'\(line)' isn't a request line") }
        request.method = HTTPMethod(rawValue: String(line[..<first]))
        request.target = String(line[line.index(after: first)..<last])
        request.version = String(line[line.index(after: last)...])
    }

    private mutating func bodyStage() throws(Malformed) -> Stage {
        if request.header("Transfer-Encoding", holds: "chunked") { return .chunkSize }
        let lengths = Set(request.headers("Content-Length"))
        guard let length = lengths.first else { return .body(0) }
        guard lengths.count == 1, length.allSatisfy(\.isNumber), let count = Int(length) else {
            throw Malformed(reason: "its Content-Length is \(lengths.sorted().joined(separator: " and "))")
        }
        return .body(count)
    }

    private mutating func finish() -> LoopbackRequest {
        let finished = request
        request = LoopbackRequest(connection: connection)
        headLength = 0
        stage = .requestLine
        return finished
    }

    /// Returns the next complete line without its line end, or `nil` if there is none yet.
    private mutating func takeLine() throws(Malformed) -> String? {
        let length = buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base - start + 1
        }
        guard let length else {
            if !hasRoom { throw Malformed(reason: "it has a line longer than \(Self.limit) bytes") }
            return nil
        }
        let line = buffer[start..<start + length]
        start += length
        switch stage {
        case .requestLine, .headers, .trailers:
            headLength += length
            if headLength > Self.limit { throw Malformed(reason: "its head is longer than \(Self.limit) bytes") }
            request.bytes.append(contentsOf: line)
        case .body, .chunkSize, .chunk, .chunkEnd:
            if case .kept = bodies { request.bytes.append(contentsOf: line) }
        }
        return String(decoding: line.dropLast(line.dropLast().last == 0x0D ? 2 : 1), as: UTF8.self)
    }

    /// Consumes bytes of the body. Returns their number, `limit` at most, or `nil` if there are none.
    private mutating func takeBody(upTo limit: Int) -> Int? {
        let count = min(limit, buffer.count - start)
        guard count > 0 else { return nil }
        let bytes = buffer[start..<start + count]
        start += count
        request.bodyLength += count
        if case .kept = bodies {
            request.body.append(contentsOf: bytes)
            request.bytes.append(contentsOf: bytes)
        }
        return count
    }
}
