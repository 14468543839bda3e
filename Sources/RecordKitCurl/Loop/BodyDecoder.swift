import RecordKit

/// Decodes the body of a response according to `Content-Encoding` (RFC 9110 section 8.4).
///
/// libcurl could do so, but it takes a body that ends early for a whole one (7.88.1).
///
/// It isn't Sendable: only the thread of the event loop uses it.
final class BodyDecoder {
    /// The value of `Accept-Encoding` for the codings that a decoder supports.
    static let accepted = "gzip, deflate"

    /// How far a part was taken.
    enum Taking {
        /// All of it.
        case all
        /// A part of it. libcurl delivers all of it again.
        case pause
        /// A part of it. Nothing follows.
        case stop
    }

    private let outer: Inflater
    /// Decodes what the outer coding contains, if there are two.
    private let inner: Inflater?

    /// The number of bytes that were decoded before a pause. libcurl delivers them again.
    private var bytesBeforePause = 0

    /// Creates a decoder.
    ///
    /// Returns `nil` if there is nothing to decode: without a coding, with one that isn't known, or with more than two.
    /// Such a body is delivered as it is, with its header field.
    init?(_ headers: HTTPHeaders) {
        guard let codings = headers["Content-Encoding"] else { return nil }
        var formats: [Inflater.Format] = []
        for coding in codings.split(separator: ",") {
            switch coding.filter({ $0 != " " && $0 != "\t" }).lowercased() {
            case "gzip", "x-gzip": formats.append(.gzip)
            case "deflate": formats.append(.deflate)
            case "identity", "": continue
            default: return nil
            }
        }
        guard formats.count <= 2, let last = formats.popLast() else { return nil }
        outer = Inflater(last)
        inner = formats.last.map { Inflater($0) }
    }

    /// Whether the body may end here.
    var isComplete: Bool { outer.isComplete && inner?.isComplete ?? true }

    /// Decodes a part of the body from libcurl, which may be one that it delivers again after a pause.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - write: Takes a part of the decoded body. Returns false to stop.
    ///   - pauses: Returns whether to pause after what was written.
    func receive(
        _ bytes: UnsafeRawBufferPointer, write: (UnsafeRawBufferPointer) -> Bool, pauses: () -> Bool
    ) throws(Inflater.Fault) -> Taking {
        let before = min(bytesBeforePause, bytes.count)
        var taking = Taking.all
        let count = try take(UnsafeRawBufferPointer(rebasing: bytes[before...])) { part in
            // With two codings, more parts follow a pause, although the reader may not be busy any more.
            if !write(part) { taking = .stop } else if taking == .all, pauses() { taking = .pause }
            return taking == .all
        }
        bytesBeforePause += taking == .pause ? count : -before
        return taking
    }

    /// Decodes the next bytes.
    ///
    /// - Parameters:
    ///   - input: The bytes that follow those taken before. They may be empty.
    ///   - write: Takes a part of the decoded body. Returns false to stop. It may be called a few times more: with two
    ///     codings, for what a part of the outer one contains.
    /// - Returns: The number of bytes taken, which is the count of `input` unless `write` stopped.
    func take(
        _ input: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Bool
    ) throws(Inflater.Fault) -> Int {
        try outer.take(input) { part throws(Inflater.Fault) in
            guard let inner else { return write(part) }
            var goesOn = true
            _ = try inner.take(part) {
                goesOn = write($0) && goesOn; return true
            }
            return goesOn
        }
    }
}
