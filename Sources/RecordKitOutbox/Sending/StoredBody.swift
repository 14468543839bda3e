import Foundation
import RecordKit

/// The bytes of a body as the first attempt has sent them. Later attempts send the same ones.
///
/// A server that remembers keys may compare the bodies, and an encoder may write keys in another order each time. A
/// multipart body has another boundary each time.
struct StoredBody: Codable, Sendable {
    private enum Piece: Codable, Sendable {
        case data(Data)
        /// A file in the folder of the entry.
        case file(String)
    }

    /// `nil` for a request without a body.
    private var contentType: String?
    private var pieces: [Piece] = []

    /// Encodes the body of a request. Copies its files into the folder.
    init(_ request: some NetworkRequest, in folder: EntryFolder) async throws {
        guard let body = try await Self.encoded(request)?.spooled() else { return }
        contentType = body.contentType
        switch body.content {
        case .data(let data): pieces = [.data(data)]
        case .pieces(let found):
            pieces = try found.map { piece in
                switch piece {
                case .data(let data): .data(data)
                case .file(let file): .file(try folder.name(of: file.url) ?? folder.copy(file.url))
                case .stream: throw OutboxError(.notEncodable, "A part of the body is a stream.")
                }
            }
        }
    }

    /// Encodes the body with the request's encoder, and with sorted keys if that is a `JSONEncoder`.
    ///
    /// An app that ended after `add` may add the same request under the same key again, after it was sent.
    static func encoded(_ request: some NetworkRequest) throws -> EncodedBody? {
        let (body, encoder): ((any NetworkEncodable)?, any NetworkEncoder) = (request.body, request.encoder)
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
        guard let contentType else {
            call.body = nil
            return
        }
        let content: EncodedBody.Content
        if case .data(let data)? = pieces.first, pieces.count == 1 {
            content = .data(data)
        } else {
            content = .pieces(
                try pieces.map { (piece) throws(NetworkError) in
                    switch piece {
                    case .data(let data): return .data(data)
                    case .file(let name):
                        do throws(NetworkError.InvalidRequest) {
                            return .file(try EncodedBody.File(folder.url.appending(path: name)))
                        } catch {
                            throw .invalidRequest(error)
                        }
                    }
                })
        }
        // The new body of the call knows which of its fields are sensitive.
        if call.body == nil { call.body = EncodedBody(content) }
        call.body?.content = content
        call.body?.contentType = contentType
        if !hasContentType { call.headers["Content-Type"] = contentType }
    }
}
