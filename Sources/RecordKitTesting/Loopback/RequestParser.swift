import Foundation
import RecordKit

/// Cuts the bytes of one connection into requests (RFC 9112).
struct RequestParser {
    enum Event {
        /// The head of a request has arrived; nothing of its body has been looked at.
        case head(LoopbackRequest)
        /// The request is whole.
        case request(LoopbackRequest)
    }

    /// Why the bytes are no request.
    struct Malformed: Error {
        let reason: String
    }

    private enum Stage {
        case requestLine, headers, body(Int), chunkSize, chunk(Int), chunkEnd, trailers
    }

    /// The most that a head may hold, and so the most that is buffered: 1 MiB.
    static let limit = 1 << 20

    /// What TLS begins with (RFC 8446 section 5.1). It may have no line end, and its client would wait for ever.
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

    /// Whether more bytes may be appended now.
    var hasRoom: Bool { buffer.count - start < Self.limit }

    /// Whether the head of a request has arrived and its body is not whole.
    var isInsideBody: Bool {
        switch stage {
        case .requestLine, .headers: false
        case .body, .chunkSize, .chunk, .chunkEnd, .trailers: true
        }
    }

    /// Whether bytes of a body are still to come.
    var awaitsBody: Bool {
        if case .body(0) = stage { false } else { isInsideBody }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.removeFirst(start)
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next event in the bytes so far; nil if there are too few.
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
                    throw Malformed(reason: "it begins as TLS does, and this server speaks http alone")
                }
                guard let line = try takeLine() else { return nil }
                if let event = try read(line) { return event }
            }
        }
    }

    private mutating func read(_ line: String) throws(Malformed) -> Event? {
        switch stage {
        case .requestLine:
            // An empty line before a request is to be skipped (section 2.2).
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
                throw Malformed(reason: "'\(line)' is no chunk size")
            }
            stage = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard line.isEmpty else { throw Malformed(reason: "a chunk is longer than its size") }
            stage = .chunkSize
        case .trailers where line.isEmpty:
            return .request(finish())
        case .trailers, .body, .chunk:
            break
        }
        return nil
    }

    private mutating func begin(_ line: String) throws(Malformed) {
        guard let first = line.firstIndex(of: " "), let last = line.lastIndex(of: " "), first < last,
            line[last...].hasPrefix(" HTTP/1.")
        else { throw Malformed(reason: "'\(line)' is no request line") }
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

    /// The next whole line without its end; nil if it has not arrived.
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

    /// Takes what there is of the body, at most so many bytes; nil if there is nothing.
    private mutating func takeBody(upTo limit: Int) -> Int? {
        let count = min(limit, buffer.count - start)
        guard count > 0 else { return nil }
        let piece = buffer[start..<start + count]
        start += count
        request.bodyLength += count
        if case .kept = bodies {
            request.body.append(contentsOf: piece)
            request.bytes.append(contentsOf: piece)
        }
        return count
    }
}
