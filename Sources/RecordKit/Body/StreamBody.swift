public import Foundation
import Synchronization

/// A body that is an asynchronous sequence of chunks: written to a file first, or sent while it is made.
///
/// By default, the bytes are first read into a temporary file, which is deleted with the last copy of the body. So the
/// length of the body is sent, and a retry or a redirect can send the body again. Reading the stream counts towards the
/// deadline of the call, and each wait for a chunk may take as long as the timeout of an attempt.
///
/// A ``Sending/live`` body is sent in chunks while the sequence produces it, such as a recording or the output of a
/// process. Its length is unknown, and it can't be sent again. The timeout of the request must cover the time that it
/// takes. Only some transports can send it, such as `CurlTransport`; see ``TransportTraits/sendsLiveBodies``. For
/// others, it is read into a file first, like any other stream: Linux's URLSession (Swift 6.3.1) can only send bytes
/// that are already there. If its chunks depend on what the server sends meanwhile, send it ``Sending/onlyLive``: then
/// such a transport refuses the body.
///
/// A stream can be read only once. Store this object in the request, so that a second call with the same request uses
/// the file. If each call creates a new object from the same `AsyncStream`, the second body is empty.
///
/// A call fails while another call is reading the stream. If reading fails or is cancelled, every later call fails,
/// too.
///
/// `dataTask(for:in:skippingInterceptors:completion:)` doesn't support a stream, since it returns before the stream is
/// read.
public final class StreamBody: NetworkEncodable, Sendable {
    /// Reads the stream and writes its chunks.
    private typealias Source = @Sendable (_ write: (Data) async throws -> Void) async throws -> Void

    private enum State {
        /// The stream has not been read.
        case unread(Source)
        /// A call is reading the stream.
        case reading
        /// The stream is in a file.
        case spooled(EncodedBody.File)
        /// The stream can't be read: it failed, or was sent live.
        case broken(NetworkError.InvalidRequest)
    }

    /// The way in which a stream is sent.
    @nonexhaustive
    public enum Sending: Sendable {
        /// From a file that the stream is read into first.
        case fromFile
        /// While the stream produces its chunks, if the transport supports that. Otherwise from a file.
        case live
        /// While the stream produces its chunks. A transport that can't do that ends the call with
        /// ``NetworkError/invalidRequest(_:)``.
        case onlyLive
    }

    /// The way in which the stream is sent.
    let sending: Sending
    /// Returns the fields after the body.
    private let makeTrailers: (@Sendable () async throws -> HTTPHeaders)?
    private let contentType: String
    private let state: Mutex<State>

    /// Creates a body from a sequence of chunks.
    ///
    /// - Parameters:
    ///   - pieces: The chunks, of any size.
    ///   - contentType: The value of `Content-Type`.
    ///   - sending: The way in which the stream is sent. One with trailers is always sent ``Sending/onlyLive``.
    ///   - trailers: Returns the fields after the body (RFC 9110 section 6.5), such as a checksum. It is called once,
    ///     after the last chunk. The fields are sent over HTTP/1.1 alone. Name them in the header field `Trailer`.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, contentType: String = "application/octet-stream", sending: Sending = .fromFile,
        trailers: (@Sendable () async throws -> HTTPHeaders)? = nil
    ) where Pieces.Element: DataProtocol {
        self.contentType = contentType
        self.sending = trailers == nil ? sending : .onlyLive
        makeTrailers = trailers
        state = Mutex(
            .unread { write in
                for try await piece in pieces { try await write(piece as? Data ?? Data(piece)) }
            })
    }

    /// Returns the stream as a body, or its file if the stream has been read.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        EncodedBody(.pieces([piece]), contentType: contentType)
    }

    /// Whether reading the stream has failed, or has begun and not ended.
    var cannotBeRead: Bool {
        switch state.withLock({ $0 }) {
        case .reading, .broken: true
        case .unread, .spooled: false
        }
    }

    /// Whether the body is sent while it is made, if the transport supports that.
    var isLive: Bool { sending != .fromFile }

    /// Whether fields are sent after the body.
    var hasTrailers: Bool { makeTrailers != nil }

    /// The stream as a piece of a body, or its file if the stream has been read.
    var piece: EncodedBody.Piece {
        if case .spooled(let file) = state.withLock({ $0 }) { .file(file) } else { .stream(self) }
    }

    /// Returns a file with the bytes. Reads the stream at the first call, and returns the same file from then on.
    ///
    /// - Parameter onChunk: Called after each chunk.
    /// - Throws: `InvalidRequest` if the stream fails or has failed before, if another call is reading it, or if it may
    ///   only be sent while it is made.
    func file(onChunk: @escaping @Sendable () -> Void = {}) async throws(NetworkError.InvalidRequest)
        -> EncodedBody.File
    {
        if hasTrailers { throw Self.unsupported("it has trailers, which this transport cannot send") }
        if sending == .onlyLive {
            throw Self.unsupported("it can only be sent while it is made, which this transport does not do")
        }
        // The stream stays unread for a retry.
        if Task.isCancelled { throw Self.failure(CancellationError()) }
        switch take() {
        case .spooled(let file): return file
        case .broken(let error): throw error
        case .reading: throw Self.isBeingRead
        case .unread(let source):
            do throws(NetworkError.InvalidRequest) {
                let file = try await Self.spool(source, onChunk)
                state.withLock { $0 = .spooled(file) }
                return file
            } catch {
                state.withLock { $0 = .broken(error) }
                throw error
            }
        }
    }

    /// Returns the chunks as the sequence produces them. It waits while the reader is behind.
    ///
    /// - Throws: `InvalidRequest` if the stream has been read, or is being read.
    func chunks() throws(NetworkError.InvalidRequest) -> NetworkBytes {
        let source: Source
        switch take() {
        case .unread(let unread): source = unread
        case .broken(let error): throw error
        case .reading, .spooled: throw Self.isBeingRead
        }
        state.withLock { $0 = .broken(.invalid(.body, "its live stream was sent before; use another stream")) }
        let drained = Turnstile()
        let reading = Mutex<Task<Void, Never>?>(nil)
        let (bytes, writer) = NetworkBytes.makeStream(onDrained: drained.open) {
            reading.withLock { $0 }?.cancel()
            drained.open()
        }
        let task = Task { [makeTrailers] in
            do {
                try await source { chunk in
                    // A sequence may go on without an end, although its task is cancelled.
                    try Task.checkCancellation()
                    if writer.write(chunk) < 1 << 16 { return }
                    drained.close()
                    // The reader may have taken the chunk before the turnstile was closed.
                    if writer.write(Data()) > 0 { await drained.pass() }
                }
                try Task.checkCancellation()
                guard let makeTrailers else { return writer.finish() }
                let trailers = try await makeTrailers()
                try trailers.check()
                writer.finish(trailers: trailers)
            } catch {
                writer.finish(throwing: .invalidRequest(Self.failure(error)))
            }
        }
        reading.withLock { $0 = task }
        return bytes
    }

    /// Returns the state before this call, which reads the stream if that is unread.
    private func take() -> State {
        state.withLock { state in
            defer { if case .unread = state { state = .reading } }
            return state
        }
    }

    /// Reads the stream into a temporary file.
    private static func spool(
        _ source: Source, _ onChunk: @escaping @Sendable () -> Void
    ) async throws(NetworkError.InvalidRequest) -> EncodedBody.File {
        let file = try TemporaryFile()
        do {
            try await source { chunk in
                // A sequence may go on without an end, although its task is cancelled.
                try Task.checkCancellation()
                try file.write(chunk)
                onChunk()
            }
            // A cancelled `AsyncStream` ends without an error.
            try Task.checkCancellation()
        } catch {
            throw failure(error)
        }
        return try EncodedBody.File(file)
    }

    private static func failure(_ error: any Error) -> NetworkError.InvalidRequest {
        if let error = error as? NetworkError.InvalidRequest { return error }
        return .invalid(
            .body, "its stream failed and cannot be read again: \(CodingReason.of(error))", cause: error)
    }

    private static func unsupported(_ reason: String) -> NetworkError.InvalidRequest {
        .invalid(.body, "\(reason); use another transport, such as CurlTransport")
    }

    private static let isBeingRead = NetworkError.InvalidRequest(
        member: .body, reason: "another call is reading its stream; wait for it, or use another stream")
}

/// A barrier for one task. It is open at first.
private final class Turnstile: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: UnsafeContinuation<Void, Never>?)>((true, nil))

    func close() {
        state.withLock { $0.isOpen = false }
    }

    @Sendable func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until the barrier is open.
    func pass() async {
        await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
