import Foundation
import RecordKit

/// The bytes of a body as `add` has encoded them. Each attempt sends the same ones.
///
/// A server that remembers keys may compare the bodies, and an encoder may write keys in another order each time. A
/// multipart body has another boundary each time.
struct StoredBody: Codable, Sendable {
    private enum Piece: Codable, Sendable {
        case data(Data)
        /// A file in the folder of the entry, with its size: a digest would read all of it at each attempt.
        case file(String, size: Int)
    }

    /// `nil` for a request without a body.
    private var contentType: String?
    private var pieces: [Piece] = []

    /// Encodes the body of a request. Its files must be in the folder, but for those of streams, which are copied.
    init(_ request: some NetworkRequest, in folder: EntryFolder, by client: any NetworkClient) async throws {
        guard let encoded = try Self.encoded(request, by: client) else { return }
        if encoded.isLive {
            throw OutboxError(
                .notEncodable, "The body is a live stream, which can't be sent again. Use an OutboxAttachment.")
        }
        if case .pieces(let pieces) = encoded.content {
            for case .file(let file) in pieces where folder.name(of: file.url) == nil {
                throw OutboxError(
                    .notEncodable,
                    "The file \(file.url.lastPathComponent) of the body may be gone later. Use an OutboxAttachment.")
            }
        }
        let body = try await encoded.spooled()
        contentType = body.contentType
        switch body.content {
        case .data(let data): pieces = [.data(data)]
        case .pieces(let found):
            pieces = try found.map { piece in
                switch piece {
                case .data(let data): .data(data)
                case .file(let file): .file(try folder.name(of: file.url) ?? folder.copy(file.url), size: file.length)
                case .stream: throw OutboxError(.notEncodable, "A part of the body is a stream.")
                }
            }
        }
    }

    /// Throws an error if a file isn't as it was.
    func check(in folder: EntryFolder) throws(OutboxError) {
        for case .file(let name, let size) in pieces where folder.size(of: name) != size {
            let file = name.split(separator: "/").last ?? ""
            let fault = folder.size(of: name) == nil ? "is gone" : "has another size"
            throw OutboxError(.unusable, "The file \(file) of the body \(fault). Remove the entry, and add it again.")
        }
    }

    /// Encodes the body with the request's encoder, or that of the session, and with sorted keys if that is a
    /// `JSONEncoder`.
    ///
    /// An app that ended after `add` may add the same request under the same key again, after it was sent.
    private static func encoded(
        _ request: some NetworkRequest, by client: any NetworkClient
    ) throws -> EncodedBody? {
        let body: (any NetworkEncodable)? = request.body
        let encoder: any NetworkEncoder = request.encoder ?? client.session?.configuration.encoder ?? JSONEncoder()
        guard let json = encoder as? JSONEncoder, type(of: json) == JSONEncoder.self else {
            return try body?.encoded(using: encoder)
        }
        // The encoder may be shared with other tasks.
        let sorted = JSONEncoder()
        sorted.outputFormatting = json.outputFormatting.union(.sortedKeys)
        sorted.dateEncodingStrategy = json.dateEncodingStrategy
        sorted.dataEncodingStrategy = json.dataEncodingStrategy
        sorted.nonConformingFloatEncodingStrategy = json.nonConformingFloatEncodingStrategy
        sorted.keyEncodingStrategy = json.keyEncodingStrategy
        sorted.userInfo = json.userInfo
        return try body?.encoded(using: sorted)
    }

    /// Replaces the body of a call.
    func replaceBody(of call: inout NetworkCall, hasContentType: Bool, in folder: EntryFolder) throws(NetworkError) {
        guard let contentType else { return call.body = nil }
        var content = EncodedBody.Content.pieces([])
        do throws(NetworkError.InvalidRequest) {
            let found = try pieces.map { (piece) throws(NetworkError.InvalidRequest) -> EncodedBody.Piece in
                switch piece {
                case .data(let data): .data(data)
                case .file(let name, _): .file(try EncodedBody.File(folder.url.appending(path: name)))
                }
            }
            content = .pieces(found)
            if case .data(let data)? = found.first, found.count == 1 { content = .data(data) }
        } catch {
            throw .invalidRequest(error)
        }
        // The new body of the call has the list of its sensitive fields.
        if call.body == nil { call.body = EncodedBody(content) }
        call.body?.content = content
        call.body?.contentType = contentType
        if !hasContentType { call.headers["Content-Type"] = contentType }
    }
}
