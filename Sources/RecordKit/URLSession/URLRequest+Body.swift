import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Sets the body of a call: as data if it is in memory, otherwise as a stream. Stubs can read only data.
    mutating func setBody(_ body: EncodedBody, of call: NetworkCall) {
        if case .data(let data) = body.content {
            httpBody = data
        } else if let length = body.length, length > 0 {
            httpBodyStream = body.makeStream(for: call)
            setValue(String(length), forHTTPHeaderField: "Content-Length")
            #if canImport(FoundationNetworking)
            // Linux's URLSession (Swift 6.3.1) makes libcurl send every stream in chunks, even if its length is known.
            // A blank value makes libcurl leave out its own field (CURLOPT_HTTPHEADER). An empty value would be sent.
            setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        } else {
            httpBody = Data()
        }
    }
}

extension NetworkCall {
    /// The body for a request that URLSession sends again by itself. `nil` if it must not be sent again.
    var streamToSendAgain: InputStream? {
        #if canImport(FoundationNetworking)
        if !method.isIdempotent { return nil }
        #endif
        return body?.makeStream(for: self)
    }

    /// Whether a failure to connect may follow an unreported attempt to send the request.
    ///
    /// libcurl (7.88.1) connects again if a kept connection breaks before any of the body was sent. This can happen if
    /// there is no body, or while libcurl waits for a 100 response. Idempotent requests don't matter here, because
    /// repeating them is harmless.
    var mayBeSentAgainUnseen: Bool {
        #if canImport(FoundationNetworking)
        (body?.length ?? 0 == 0 || headers.contains("Expect")) && !method.isIdempotent
        #else
        false
        #endif
    }
}

extension EncodedBody {
    /// Returns a stream of the body from its start. Returns `nil` for a body in memory.
    func makeStream(for call: NetworkCall) -> InputStream? {
        guard case .pieces(let pieces) = content else { return nil }
        #if canImport(FoundationNetworking)
        return PieceStream(pieces) { count in call.report(.sending, bytes: count, of: length) }
        #else
        guard let piece = pieces.first, pieces.count == 1 else { return nil }
        return switch piece {
        case .data(let data): InputStream(data: data)
        case .file(let file): InputStream(url: file.url)
        // The driver has written streams to files.
        case .stream: nil
        }
        #endif
    }

    /// Returns the body in a form that URLSession can send.
    ///
    /// Apple's URLSession accepts only streams made by Foundation. On Apple platforms, several pieces are first joined
    /// in one file.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file of the body has changed and that wouldn't be noticed
    ///   later. On Linux, this concerns only a body without bytes, which is never read. On Apple platforms, it concerns
    ///   every body, because its files aren't checked while they are sent.
    func forURLSession() throws(NetworkError) -> EncodedBody {
        #if canImport(FoundationNetworking)
        if length == 0, let change { throw .invalidRequest(change) }
        return self
        #else
        if let change { throw .invalidRequest(change) }
        guard case .pieces(let pieces) = content, pieces.count > 1 else { return self }
        var body = self
        do throws(NetworkError.InvalidRequest) {
            body.content = .pieces([.file(try EncodedBody.File(joining: pieces))])
        } catch {
            throw .invalidRequest(error)
        }
        return body
        #endif
    }
}

extension URLSessionTask {
    /// Whether any of the body was sent, on a connection that may have closed since.
    var hasSentBody: Bool {
        #if canImport(FoundationNetworking)
        // Linux's URLSession (Swift 6.3.1) doesn't count the bytes of a stream.
        if let stream = originalRequest?.httpBodyStream as? PieceStream, stream.wasRead { return true }
        #endif
        return countOfBytesSent > 0
    }
}

#if canImport(FoundationNetworking)
/// The pieces of a body as a stream for Linux's URLSession.
///
/// Reading fails if a file has become shorter or longer. Otherwise the request would wait forever for the missing bytes
/// of a shorter file.
final class PieceStream: InputStream {
    /// Whether any of the stream was read. libcurl reads it in order to send it.
    private(set) var wasRead = false
    private var reader: PieceReader
    private var count = 0
    private let onRead: @Sendable (Int) -> Void
    private var status = Stream.Status.notOpen
    private var failure: NetworkError.InvalidRequest?

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - onRead: Called with the number of bytes that were read, each time.
    init(_ pieces: [EncodedBody.Piece], onRead: @escaping @Sendable (Int) -> Void) {
        self.onRead = onRead
        reader = PieceReader(pieces)
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }
    override var hasBytesAvailable: Bool { status == .open }

    override func open() {
        status = .open
    }

    override func close() {
        status = .closed
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard status == .open else { return status == .error ? -1 : 0 }
        do throws(NetworkError.InvalidRequest) {
            guard let data = try reader.next(upTo: length) else {
                status = .atEnd
                return 0
            }
            wasRead = true
            data.copyBytes(to: buffer, count: data.count)
            count += data.count
            onRead(count)
            return data.count
        } catch {
            failure = error
            status = .error
            return -1
        }
    }
}
#endif
