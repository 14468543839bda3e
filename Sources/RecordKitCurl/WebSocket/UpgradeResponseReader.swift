import Foundation
import RecordKit

/// Reads the response to the request for a WebSocket: its head, and its body if the server refuses (RFC 9112).
struct UpgradeResponseReader {
    private enum Part {
        case statusLine
        case fields
        /// A body of known length, of which this many bytes are missing.
        case length(Int)
        /// A body that ends with the connection.
        case untilClose
        case chunkSize
        case chunk(Int)
        case endOfChunk
        case trailers
    }

    private let call: NetworkCall
    private let lineLimit: Int
    private var head: HeadReader
    private var part = Part.statusLine
    private var status = 0
    private var line: [UInt8] = []
    private var response: NetworkResponse?
    private var body = Data()

    init(_ call: NetworkCall, headLimit: Int) {
        self.call = call
        lineLimit = headLimit
        head = HeadReader(limit: headLimit)
    }

    /// Reads bytes until the response is complete, and removes them. A 101 ends with its head.
    ///
    /// - Returns: The response, or `nil` if more bytes are needed.
    mutating func next(_ bytes: inout Slice<UnsafeRawBufferPointer>) throws(NetworkError) -> NetworkResponse? {
        while !bytes.isEmpty {
            switch part {
            case .length(let missing), .chunk(let missing):
                let count = min(missing, bytes.count)
                try add(bytes.prefix(count))
                bytes = bytes.dropFirst(count)
                if case .length = part { part = .length(missing - count) } else { part = .chunk(missing - count) }
                if count < missing { return nil }
                if case .length = part { return complete() }
                part = .endOfChunk
            case .untilClose:
                try add(bytes)
                bytes = bytes.suffix(0)
            case .statusLine, .fields, .chunkSize, .endOfChunk, .trailers:
                guard let byte = bytes.popFirst() else { return nil }
                line.append(byte)
                if line.count > lineLimit { throw bad("a line is too long") }
                if byte != 10 { continue }
                if try readLine() { return complete() }
                line.removeAll(keepingCapacity: true)
            }
        }
        return nil
    }

    /// Returns the response at the end of the connection, or `nil` if it is incomplete.
    func end() -> NetworkResponse? {
        if case .untilClose = part { complete() } else { nil }
    }

    private func complete() -> NetworkResponse? {
        var response = response
        response?.body = body
        return response
    }

    private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) throws(NetworkError) {
        if bytes.count > call.sizeLimit - body.count {
            throw .tooLarge(NetworkError.TooLarge(limit: call.sizeLimit, host: call.origin.hostAndPort))
        }
        body.append(contentsOf: bytes)
    }

    /// Reads a line. Returns whether it completes the response.
    private mutating func readLine() throws(NetworkError) -> Bool {
        switch part {
        case .statusLine:
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let number = Self.number(words[1].prefix(3), 10),
                number >= 100
            else { throw bad("it does not begin with a status line of HTTP/1.1") }
            // HTTP/1.0 has no upgrades (RFC 9110 section 7.8).
            if words[0] == "HTTP/1.0", number == 101 { throw bad("it switches protocols over HTTP/1.0") }
            status = number
            part = .fields
            return try readField()
        case .fields: return try readField()
        case .chunkSize:
            let digits = String(decoding: line, as: UTF8.self).prefix { $0.isHexDigit }
            guard let size = Self.number(digits, 16) else { throw bad("the size of a chunk is not valid") }
            part = size == 0 ? .trailers : .chunk(size)
            return false
        case .endOfChunk:
            if Self.isNotEmpty(line) { throw bad("a chunk is longer than its size") }
            part = .chunkSize
            return false
        case .trailers: return !Self.isNotEmpty(line)
        case .length, .untilClose, .chunk: return false
        }
    }

    private mutating func readField() throws(NetworkError) -> Bool {
        switch line.withUnsafeBytes({ [status] in head.add($0, status: { status }) }) {
        case .more: return false
        case .interim:
            part = .statusLine
            return false
        case .invalid(let reason): throw bad(reason)
        case .complete:
            let response = NetworkResponse(statusCode: status, headers: HTTPHeaders(head.fields), url: call.url)
            self.response = response
            return try beginBody(of: response)
        }
    }

    /// Prepares for the body. Returns whether there is none to wait for.
    private mutating func beginBody(of response: NetworkResponse) throws(NetworkError) -> Bool {
        if status == 101 || response.isRedirect(for: call) { return true }
        if let length = try response.contentLength(for: call) {
            part = .length(length)
            return length == 0
        } else if let coding = response.headers["Transfer-Encoding"] {
            part = coding.lowercased().hasSuffix("chunked") ? .chunkSize : .untilClose
        } else {
            part = .untilClose
        }
        return false
    }

    private func bad(_ reason: String) -> NetworkError {
        .badResponse(
            NetworkError.BadResponse(
                host: call.origin.hostAndPort, cause: WebSocketProtocolError(code: .protocolError, reason: reason)))
    }

    private static func isNotEmpty(_ line: [UInt8]) -> Bool { line.contains { $0 != 13 && $0 != 10 } }

    /// Returns a number without a sign.
    private static func number(_ digits: Substring, _ radix: Int) -> Int? {
        digits.utf8.allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") } ? Int(digits, radix: radix) : nil
    }
}
