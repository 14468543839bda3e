import Foundation

/// Bodies of one call as they may be printed, and what else a server sends back.
struct LoggedBody {
    let secretNames: Set<String>
    /// The call's own credentials, which a server may send back.
    private var secrets: [String] = []
    private let contentType: String?

    /// - Parameter call: also what interceptors have signed its attempts with, behind the one that prints.
    init(of call: NetworkCall) {
        let sent = call.recorder.sent
        secretNames = sent.reduce(call.headers.secretNames) { $0.union($1.headers.secretNames) }
        contentType = call.headers["Content-Type"]
        add(call.headers, call.url)
        for sent in sent { add(sent.headers, sent.url) }
    }

    private mutating func add(_ headers: HTTPHeaders, _ url: URL) {
        for field in headers.fields where headers.isSecret(field.name) {
            addSpellings(field.value)
            for word in field.value[...].parts(between: " ").dropFirst() { addSpellings(String(word)) }
        }
        for item in (url.query(percentEncoded: true) ?? "")[...].parts(between: "&") {
            let name = item.prefix { $0 != "=" }
            let value = String(item.dropFirst(name.count + 1))
            guard headers.isSecret(name.removingPercentEncoding ?? String(name)) else { continue }
            addSpellings(value.removingPercentEncoding ?? value)
        }
    }

    private mutating func addSpellings(_ secret: String) {
        var encoded = ""
        PercentEncoding.append(secret, to: &encoded)
        // As it is, as some write it in JSON, and as it stands in an address.
        for spelling in [secret, secret.replacing("/", with: #"\/"#), encoded] where !secrets.contains(spelling) {
            if spelling.utf8.count < 6 { continue }
            // The longest first: another may be a part of it.
            let index = secrets.firstIndex { $0.utf8.count < spelling.utf8.count }
            secrets.insert(spelling, at: index ?? secrets.endIndex)
        }
    }

    /// What a server sends back of the call's own credentials taken out.
    func withoutCredentials(_ text: String) -> String {
        secrets.reduce(text) { text, secret in
            text.replacingOccurrences(of: secret, with: SecretNames.replacement, options: .literal)
        }
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
        text = AddressSecrets.redacted(text, SecretNames(secretNames))
        text = withoutCredentials(text)
        if data.count > limit { text = withoutCutSecret(text) }
        text = PlainText.printable(text, onOneLine: false)
        return data.count > limit ? "\(text)… (\(data.count) bytes in all)" : text
    }

    /// The limit may have cut a credential in two.
    private func withoutCutSecret(_ text: String) -> String {
        for secret in secrets {
            for length in stride(from: min(secret.utf8.count, text.utf8.count), through: 3, by: -1)
            where text.utf8.suffix(length).elementsEqual(secret.utf8.prefix(length)) {
                return String(decoding: text.utf8.dropLast(length), as: UTF8.self) + SecretNames.replacement
            }
        }
        return text
    }

    private static func count(_ length: Int?, _ type: MediaType?) -> String {
        "  (\(length.map { "\($0) bytes" } ?? "a stream") of \(type?.essence ?? "unknown type"))"
    }
}
