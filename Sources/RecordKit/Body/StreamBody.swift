public import Foundation
import Synchronization

/// A body that is an asynchronous sequence of bytes.
///
/// URLSession requires the length of a body, and a retry or a redirect sends the body again. So the bytes are first
/// read into a temporary file, which is deleted with the last copy of the body. Reading the stream counts towards the
/// deadline of the call, but not towards the timeout of an attempt.
///
/// A stream can be read only once. Store this object in the request, so that a second call with the same request uses
/// the file. If each call creates a new object from the same `AsyncStream`, the second body is empty.
///
/// A call fails while another call is reading the stream. If reading fails or is cancelled, every later call fails,
/// too.
///
/// `dataTask(for:in:completion:)` doesn't support a stream, since it returns before the stream is read.
public final class StreamBody: NetworkEncodable, Sendable {
    /// Reads the stream into a file.
    private typealias Source = @Sendable (TemporaryFile) async throws -> Void

    private enum State {
        /// The stream has not been read.
        case unread(Source)
        /// A call is reading the stream.
        case reading
        /// The stream is in a file.
        case spooled(EncodedBody.File)
        /// Reading the stream failed.
        case broken(NetworkError.InvalidRequest)
    }

    private let contentType: String
    private let state: Mutex<State>

    /// Creates a body from a sequence of chunks.
    ///
    /// - Parameters:
    ///   - pieces: The chunks, of any size.
    ///   - contentType: The value of `Content-Type`.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, contentType: String = "application/octet-stream"
    ) where Pieces.Element: DataProtocol {
        self.contentType = contentType
        state = Mutex(
            .unread { file in
                for try await piece in pieces { try file.write(piece) }
            })
    }

    /// Creates a body from a sequence of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The value of `Content-Type`.
    public init<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes, contentType: String = "application/octet-stream"
    ) where Bytes.Element == UInt8 {
        self.contentType = contentType
        state = Mutex(
            .unread { file in
                var piece: [UInt8] = []
                for try await byte in bytes {
                    piece.append(byte)
                    if piece.count == 1 << 16 {
                        try file.write(piece)
                        piece.removeAll(keepingCapacity: true)
                    }
                }
                try file.write(piece)
            })
    }

    /// Returns the stream as a body, or its file if the stream has been read.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        if case .spooled(let file) = state.withLock({ $0 }) {
            return EncodedBody(.pieces([.file(file)]), contentType: contentType)
        }
        return EncodedBody(.stream(self), contentType: contentType)
    }

    /// Returns a file with the bytes. Reads the stream at the first call, and returns the same file from then on.
    ///
    /// - Throws: `InvalidRequest` if the stream fails or has failed before, or if another call is reading it.
    func file() async throws(NetworkError.InvalidRequest) -> EncodedBody.File {
        let before = state.withLock { state in
            let before = state
            if case .unread = before { state = .reading }
            return before
        }
        switch before {
        case .spooled(let file): return file
        case .broken(let error): throw error
        case .reading:
            throw NetworkError.InvalidRequest(
                member: .body, reason: "another call is reading its stream; wait for it, or use another stream")
        case .unread(let source):
            do throws(NetworkError.InvalidRequest) {
                let file = try await Self.spool(source)
                state.withLock { $0 = .spooled(file) }
                return file
            } catch {
                state.withLock { $0 = .broken(error) }
                throw error
            }
        }
    }

    /// Reads the stream into a temporary file.
    private static func spool(_ source: Source) async throws(NetworkError.InvalidRequest) -> EncodedBody.File {
        let file = try TemporaryFile()
        do {
            try await source(file)
            // A cancelled `AsyncStream` ends without an error.
            try Task.checkCancellation()
        } catch let error as NetworkError.InvalidRequest {
            throw error
        } catch {
            throw NetworkError.InvalidRequest(
                member: .body, reason: "its stream failed and cannot be read again: \(CodingReason.of(error))",
                cause: error)
        }
        return try EncodedBody.File(file)
    }
}
