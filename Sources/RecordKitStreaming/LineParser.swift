import Foundation
import RecordKit

/// A parser of lines that end with LF, CR LF or CR.
///
/// A line is complete with its first terminator. So a CR at the end of a chunk ends a line, and an LF at the start of
/// the next chunk belongs to it.
struct LineSplitter: Sendable {
    /// The start of a line whose end hasn't arrived.
    private var start = Data()
    private var endsWithCR = false
    private let limit: Int
    private let tooLarge: NetworkError

    /// Creates a splitter for the body of a call. A line may have as many bytes as a collected body.
    init(for call: NetworkCall) {
        limit = call.sizeLimit
        tooLarge = call.tooLarge
    }

    /// Calls `body` with each line that ends in the chunk, without its terminator.
    mutating func split(
        _ chunk: Data, _ body: (UnsafeRawBufferPointer) throws(NetworkError) -> Void
    ) throws(NetworkError) {
        try chunk.withBytes { bytes throws(NetworkError) in
            var rest = bytes[...]
            if endsWithCR, let first = rest.first {
                endsWithCR = false
                if first == Self.lf { rest.removeFirst() }
            }
            // The position of the next LF is kept, because many lines may end with CR before it.
            var lf = rest.position(of: Self.lf)
            while let end = rest[..<(lf ?? rest.endIndex)].position(of: Self.cr) ?? lf {
                try take(rest[..<end], body)
                let isCR = rest[end] == Self.cr
                rest = rest[(end + 1)...]
                if isCR, rest.isEmpty { endsWithCR = true }
                if isCR, rest.first == Self.lf { rest.removeFirst() }
                if let passed = lf, passed < rest.startIndex { lf = rest.position(of: Self.lf) }
            }
            if start.count + rest.count > limit { throw tooLarge }
            start.append(contentsOf: rest)
        }
    }

    /// Returns the bytes after the last terminator. Returns `nil` if there are none.
    mutating func rest() -> Data? {
        defer { start = Data() }
        return start.isEmpty ? nil : start
    }

    private mutating func take(
        _ end: Slice<UnsafeRawBufferPointer>, _ body: (UnsafeRawBufferPointer) throws(NetworkError) -> Void
    ) throws(NetworkError) {
        if start.count + end.count > limit { throw tooLarge }
        if start.isEmpty { return try body(UnsafeRawBufferPointer(rebasing: end)) }
        start.append(contentsOf: end)
        let line = start
        start = Data()
        try line.withBytes(body)
    }

    private static let lf = UInt8(ascii: "\n")
    private static let cr = UInt8(ascii: "\r")
}

extension Slice<UnsafeRawBufferPointer> {
    /// Returns the position of the first such byte. `memchr` is several times faster than a loop.
    func position(of byte: UInt8) -> Int? {
        guard !isEmpty, let base = base.baseAddress,
            let found = memchr(base + startIndex, Int32(byte), count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

extension Data {
    /// Calls `body` with the bytes, and keeps the type of its error.
    func withBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(NetworkError) -> Value
    ) throws(NetworkError) -> Value {
        let result = withUnsafeBytes { bytes in
            do throws(NetworkError) {
                return Result<Value, NetworkError>.success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// A parser of the lines of a text. Its bytes are UTF-8; invalid ones become U+FFFD.
struct LineParser: ChunkParser {
    private var splitter: LineSplitter

    init(for call: NetworkCall) {
        splitter = LineSplitter(for: call)
    }

    mutating func parse(_ chunk: Data, into lines: inout [String]) throws(NetworkError) {
        try splitter.split(chunk) { line in lines.append(String(decoding: line, as: UTF8.self)) }
    }

    mutating func finish(into lines: inout [String]) {
        if let rest = splitter.rest() { lines.append(String(decoding: rest, as: UTF8.self)) }
    }
}

/// A parser that returns each chunk as it is.
struct ChunkPassing: ChunkParser {
    func parse(_ chunk: Data, into chunks: inout [Data]) {
        chunks.append(chunk)
    }

    func finish(into chunks: inout [Data]) {}
}
