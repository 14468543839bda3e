import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// What is in memory goes as data, and can be seen by stubs; anything with a file in it as a stream.
    mutating func setBody(_ body: EncodedBody) {
        if case .data(let data) = body.content {
            httpBody = data
        } else if let length = body.length, length > 0 {
            httpBodyStream = body.makeStream()
            setValue(String(length), forHTTPHeaderField: "Content-Length")
            #if canImport(FoundationNetworking)
            // Linux's URLSession has libcurl send every stream in chunks, whatever its length. A header whose value is
            // blank is how libcurl is told to leave out its own (CURLOPT_HTTPHEADER), and an empty value would be sent.
            setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        } else {
            httpBody = Data()
        }
    }
}

extension NetworkCall {
    /// The body for a request that URLSession sends again by itself; nil where it must not.
    var streamToSendAgain: InputStream? {
        #if canImport(FoundationNetworking)
        if !method.isIdempotent { return nil }
        #endif
        return body?.makeStream()
    }

    /// Whether a failure to connect may be that of a second sending: libcurl's, whose kept connection broke before
    /// anything of a body had gone out, as it waits for the server's 100 where the caller expects one. What is done
    /// twice without harm is not worth a doubt.
    var mayBeSentAgainUnseen: Bool {
        #if canImport(FoundationNetworking)
        (body?.length ?? 0 == 0 || headers.contains("Expect")) && !method.isIdempotent
        #else
        false
        #endif
    }
}

extension EncodedBody {
    /// The pieces from the start; nil for a body in memory.
    func makeStream() -> InputStream? {
        guard case .pieces(let pieces) = content else { return nil }
        #if canImport(FoundationNetworking)
        return PieceStream(pieces)
        #else
        guard let piece = pieces.first, pieces.count == 1 else { return nil }
        return switch piece {
        case .data(let data): InputStream(data: data)
        case .file(let file): InputStream(url: file.url)
        }
        #endif
    }

    /// As a transport on URLSession can send it: Apple's takes streams of Foundation's own making only, so that several
    /// pieces first become one file there.
    ///
    /// - Throws: also when its files are no longer what they were, where that would not show later: on Linux when there
    ///   was nothing in them, which nobody would read; on Apple's systems always, as nobody looks while they are sent.
    func forURLSession() throws(NetworkError) -> EncodedBody {
        #if canImport(FoundationNetworking)
        if length == 0, let problem { throw .invalidRequest(problem) }
        return self
        #else
        if let problem { throw .invalidRequest(problem) }
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
    /// Whether any of the body has been sent, on a connection that may be gone by now.
    var hasSentBody: Bool {
        #if canImport(FoundationNetworking)
        // Linux does not count what it sends from a stream.
        if let stream = originalRequest?.httpBodyStream as? PieceStream, stream.wasRead { return true }
        #endif
        return countOfBytesSent > 0
    }
}

#if canImport(FoundationNetworking)
/// The pieces of a body as the stream that Linux's URLSession reads.
///
/// Reading fails where a file is shorter than it was, so that the request does not wait for bytes that never come, and
/// where it is longer.
final class PieceStream: InputStream {
    /// Whether any of it was read, which libcurl does to send it.
    private(set) var wasRead = false
    private var reader: PieceReader
    private var status = Stream.Status.notOpen
    private var failure: NetworkError.InvalidRequest?

    init(_ pieces: [EncodedBody.Piece]) {
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
            return data.count
        } catch {
            failure = error
            status = .error
            return -1
        }
    }
}
#endif
