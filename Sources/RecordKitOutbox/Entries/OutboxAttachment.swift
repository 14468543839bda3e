public import Foundation

/// A file that belongs to a request in an ``Outbox``, such as a photo to upload.
///
/// ```swift
/// struct PutCover: NetworkRequest, Codable {
///     typealias ValueType = Void
///
///     let sku: String
///     let cover: OutboxAttachment
///
///     var path: RequestPath { "records/\(sku)/cover" }
///     var method: HTTPMethod { .put }
///     var body: MultipartBody {
///         MultipartBody([.file("cover", cover.url, contentType: "image/jpeg")])
///     }
/// }
/// ```
///
/// ``Outbox/add(_:lane:key:expiry:)`` copies the file, so the app may change or delete its own. The request that is
/// sent has the URL of the copy. It is deleted with the entry.
///
/// Encoded elsewhere than in an outbox, an attachment is its URL.
public struct OutboxAttachment: Codable, Sendable, Hashable {
    /// The URL of the file.
    public let url: URL

    /// Creates an attachment.
    ///
    /// - Parameter url: The file URL of a regular file.
    public init(_ url: URL) {
        self.url = url
    }

    /// Reads an attachment.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        // Only the name is stored: the container of an app moves when the app is updated.
        let folder = decoder.userInfo[EntryFolder.codingKey] as? EntryFolder
        guard let url = folder.map({ $0.url.appending(path: text) }) ?? URL(string: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is not a URL")
        }
        self.url = url
    }

    /// Writes the attachment. In an outbox, copies its file.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let folder = encoder.userInfo[EntryFolder.codingKey] as? EntryFolder {
            try container.encode(folder.copy(url))
        } else {
            try container.encode(url.absoluteString)
        }
    }
}
