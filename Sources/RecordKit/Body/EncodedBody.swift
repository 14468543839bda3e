public import Foundation

/// A body, ready to be sent.
public struct EncodedBody: Sendable {
    /// Where the bytes are.
    public enum Content: Sendable {
        /// In memory.
        case data(Data)
        /// In files and in memory, one after the other; a transport reads them as it sends them.
        case pieces([Piece])
        /// Still to come. A transport that cannot stream up calls ``EncodedBody/spooled()``.
        case stream(StreamBody)
    }

    /// A part of a body whose length is known.
    public enum Piece: Sendable {
        case data(Data)
        case file(File)

        /// In bytes.
        var length: Int {
            switch self {
            case .data(let data): data.count
            case .file(let file): file.length
            }
        }
    }

    public var content: Content
    /// The `Content-Type` that the body is sent with, unless the request sets that header field itself.
    public var contentType: String
    /// Whether a retry or a redirect may send it once more.
    public var canBeSentAgain: Bool
    /// The names of fields that are sensitive besides the well-known ones, in lower case.
    var sensitiveNames: Set<String> = []

    public init(_ content: Content, contentType: String = "application/octet-stream", canBeSentAgain: Bool = true) {
        self.content = content
        self.contentType = contentType
        self.canBeSentAgain = canBeSentAgain
    }

    public init(_ data: Data, contentType: String = "application/octet-stream") {
        self.init(.data(data), contentType: contentType)
    }

    /// In bytes; nil for a stream, whose length nobody knows before its end.
    public var length: Int? {
        switch content {
        case .data(let data): data.count
        case .pieces(let pieces): pieces.reduce(0) { $0 + $1.length }
        case .stream: nil
        }
    }
}
