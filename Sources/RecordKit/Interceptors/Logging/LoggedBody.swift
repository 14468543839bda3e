import Foundation

/// Bodies of one call as they may be printed, and what else a server sends back.
struct LoggedBody {
    let secretNames: Set<String>
    /// The call's own credentials, which a server may send back.
    private let secrets: [String]
    private let contentType: String?

    /// - Parameter call: also what interceptors have signed its attempts with, behind the one that prints.
    init(of call: NetworkCall) {
        let sent = call.recorder.sent
        secretNames = sent.reduce(call.headers.secretNames) { $0.union($1.headers.secretNames) }
        contentType = call.headers["Content-Type"]
        secrets = SentCredentials.spellings(in: [call.credentials] + sent)
    }

    /// What a server sends back of the call's own credentials taken out.
    func withoutCredentials(_ text: String) -> String {
        SentCredentials.redacted(text, secrets)
    }

    func text(_ body: EncodedBody, limit: Int) -> String {
        let type = (contentType ?? body.contentType).flatMap { MediaType($0) }
        return switch body.content {
        case .data(let data): text(data, type, limit)
        case .pieces, .stream: Self.count(body.length, type)
        }
    }

    func text(_ response: NetworkResponse, limit: Int) -> String {
        text(response.body, response.mediaType, limit)
    }

    private func text(_ data: Data, _ type: MediaType?, _ limit: Int) -> String {
        let shown = Data(data.prefix(limit))
        guard let pieces = BodyPiece.pieces(of: shown, type, secret: secretNames) else {
            return Self.count(data.count, type)
        }
        var text = ""
        for piece in pieces {
            switch piece {
            case .plain(let data): text += String(decoding: data, as: UTF8.self)
            case .secret: text += SecretNames.replacement
            }
        }
        let isCut = data.count > limit
        text = AddressSecrets.redacted(text, SecretNames(secretNames), isCut: isCut)
        text = SentCredentials.redacted(text, secrets, isCut: isCut)
        text = PlainText.printable(text, onOneLine: false)
        return isCut ? "\(text)… (\(data.count) bytes in all)" : text
    }

    private static func count(_ length: Int?, _ type: MediaType?) -> String {
        "  (\(length.map { "\($0) bytes" } ?? "a stream") of \(type?.essence ?? "unknown type"))"
    }
}
