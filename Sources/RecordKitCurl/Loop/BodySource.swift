import Foundation
import RecordKit

/// The bytes of a request body, which libcurl reads while it sends them. Files and live streams are read piece by
/// piece.
///
/// It isn't Sendable: only the thread of the event loop uses it.
final class BodySource {
    /// The result of a read.
    enum Reading {
        /// This many bytes were read.
        case bytes(Int)
        case end
        /// There are no bytes yet. The transfer pauses until its exchange is resumed.
        case wait
    }

    private let pieces: [EncodedBody.Piece]
    /// The source of all bytes, if a piece is a live stream.
    private let feed: LiveFeed?
    private let feeding: Task<Void, Never>?
    private var index = 0
    /// The position in the piece.
    private var position = 0
    /// The open file of the piece.
    private var descriptor: Int32?
    /// The number of bytes that were read since the start.
    private(set) var count = 0

    /// Creates a source. It calls `resume` when there are bytes again.
    init(_ body: EncodedBody, resume: @escaping @Sendable () -> Void) {
        switch body.content {
        case .data(let data): pieces = [.data(data)]
        case .pieces(let list): pieces = list
        }
        feed = body.length == nil ? LiveFeed(resume: resume) : nil
        feeding = feed?.read(body)
    }

    deinit {
        closeFile()
        feeding?.cancel()
        feed?.close()
    }

    /// The fields to send after the last byte.
    var trailers: HTTPHeaders { feed?.trailers ?? HTTPHeaders() }

    /// Starts again with the first byte.
    func rewind() {
        closeFile()
        (index, position, count) = (0, 0, 0)
    }

    /// Reads the next bytes into a buffer.
    ///
    /// - Throws: `NetworkError.invalidRequest(_:)` if a file cannot be read or its length changed, or if a live stream
    ///   fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Reading {
        if let feed {
            let reading = try feed.take(into: buffer)
            if case .bytes(let more) = reading { count += more }
            return reading
        }
        while index < pieces.count {
            let more: Int
            switch pieces[index] {
            case .data(let data):
                more = min(buffer.count, data.count - position)
                let start = data.startIndex + position
                if more > 0 { data.copyBytes(to: buffer, from: start..<start + more) }
            case .file(let file): more = try read(file, into: buffer)
            // A body with a stream has a feed.
            case .stream: more = 0
            }
            if more > 0 {
                position += more
                count += more
                return .bytes(more)
            }
            closeFile()
            (index, position) = (index + 1, 0)
        }
        return .end
    }

    private func read(
        _ file: EncodedBody.File, into buffer: UnsafeMutableRawBufferPointer
    ) throws(NetworkError) -> Int {
        let descriptor = if let descriptor { descriptor } else { try open(file) }
        self.descriptor = descriptor
        let count = systemRead(descriptor, buffer.baseAddress, min(buffer.count, file.length - position))
        if count < 0 { throw failure(file, "cannot be read") }
        // Checks for a longer file before returning the last bytes: with them, the server has a complete body.
        var more: UInt8 = 0
        let isEnd = position + count == file.length
        if count == 0 && !isEnd || isEnd && systemRead(descriptor, &more, 1) > 0 {
            throw failure(file, "changed while it was being sent")
        }
        return count
    }

    private func open(_ file: EncodedBody.File) throws(NetworkError) -> Int32 {
        let descriptor = systemOpen(file.url.path)
        if descriptor < 0 { throw failure(file, "cannot be read") }
        return descriptor
    }

    private func failure(_ file: EncodedBody.File, _ reason: String) -> NetworkError {
        let cause = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
        return .invalidRequest(
            NetworkError.InvalidRequest(
                member: .body, reason: "the file \(file.url.lastPathComponent) \(reason)", cause: cause))
    }

    private func closeFile() {
        if let descriptor { close(descriptor) }
        descriptor = nil
    }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

/// Reads from a file, again if a signal interrupts it.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    while true {
        let result = read(descriptor, buffer, count)
        if result >= 0 || errno != EINTR { return result }
    }
}
