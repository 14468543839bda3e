public import Foundation
import Synchronization

/// Bytes that come as they come, as a body.
///
/// URLSession wants to know the length of a body, and a retry or a redirect wants to send it again; so the bytes are
/// first read into a temporary file, which goes with the last copy of the body. The time that takes counts towards the
/// call's deadline, not towards the timeout of an attempt.
///
/// A stream can be read once. Keep this object in the request, so that a second call with the same request finds the
/// file; an `AsyncStream` that is wrapped anew for each call is empty the second time. A call that comes while another
/// is reading it fails, and so does every later one when the reading failed or was cancelled.
///
/// `dataTask(for:in:completion:)` hands its task back at once and so cannot wait for a stream: there it is an error.
public final class StreamBody: NetworkEncodable, Sendable {
    private typealias Source = @Sendable (TemporaryFile) async throws -> Void

    private enum State {
        case unread(Source)
        case reading
        case spooled(EncodedBody.File)
        case broken(NetworkError.InvalidRequest)
    }

    private let contentType: String
    private let state: Mutex<State>

    /// Pieces of any size.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, contentType: String = "application/octet-stream"
    ) where Pieces.Element: DataProtocol {
        self.contentType = contentType
        state = Mutex(
            .unread { file in
                for try await piece in pieces { try file.write(piece) }
            })
    }

    /// Byte after byte.
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

    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        if case .spooled(let file) = state.withLock({ $0 }) {
            return EncodedBody(.pieces([.file(file)]), contentType: contentType)
        }
        return EncodedBody(.stream(self), contentType: contentType)
    }

    /// The bytes in a file: read the first time, the same file from then on.
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
            throw NetworkError.InvalidRequest(member: .body, reason: "its stream is being read by another call")
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

    private static func spool(_ source: Source) async throws(NetworkError.InvalidRequest) -> EncodedBody.File {
        let file = try TemporaryFile()
        do {
            try await source(file)
            // An AsyncStream ends quietly when its task is cancelled.
            try Task.checkCancellation()
        } catch let error as NetworkError.InvalidRequest {
            throw error
        } catch {
            throw NetworkError.InvalidRequest(
                member: .body, reason: "its stream broke off, and cannot be read again: \(CodingReason.of(error))",
                cause: error)
        }
        return try EncodedBody.File(file)
    }
}
