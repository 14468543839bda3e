#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

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
