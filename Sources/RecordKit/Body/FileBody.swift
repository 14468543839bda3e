public import Foundation

/// A file as a body: read as it is sent, never wholly in memory, with its length in `Content-Length`.
///
/// It can be sent again. A file that is missing, or is not a regular one, is reported when the request is built; one
/// that changes its length afterwards ends the call with ``NetworkError/invalidRequest(_:)``.
public struct FileBody: NetworkEncodable, Sendable, Equatable {
    let file: URL
    let contentType: String

    public init(_ file: URL, contentType: String = "application/octet-stream") {
        self.file = file
        self.contentType = contentType
    }

    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        EncodedBody(.pieces([.file(try EncodedBody.File(file))]), contentType: contentType)
    }
}
