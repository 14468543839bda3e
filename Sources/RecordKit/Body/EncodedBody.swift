public import Foundation

/// A body, ready to be sent.
public struct EncodedBody: Sendable {
    /// Where the bytes are.
    public enum Content: Sendable {
        case data(Data)
    }

    public var content: Content
    /// The `Content-Type` it is sent with, unless the request sets that header itself. Nil sends
    /// `application/octet-stream`.
    public var contentType: String?
    /// Whether a retry or a redirect may send it once more.
    public var canBeSentAgain: Bool

    public init(_ content: Content, contentType: String?, canBeSentAgain: Bool = true) {
        self.content = content
        self.contentType = contentType
        self.canBeSentAgain = canBeSentAgain
    }

    public init(_ data: Data, contentType: String?) {
        self.init(.data(data), contentType: contentType)
    }
}
