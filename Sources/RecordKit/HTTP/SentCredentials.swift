import Foundation

/// What a request was sent with. A server may send its credentials back: in a header, a body, or what it says in words.
struct SentCredentials: Sendable {
    let headers: HTTPHeaders
    let url: URL

    /// The values that are secret in it.
    private var secrets: [String] {
        let values = headers.fields.filter { headers.isSecret($0.name) }.map(\.value)
        // What follows the word of a scheme is secret without it too.
        let parameters = values.flatMap { $0[...].parts(between: " ").dropFirst().map(String.init) }
        let items = (url.query(percentEncoded: true) ?? "")[...].parts(between: "&").compactMap { item in
            let name = item.prefix { $0 != "=" }
            guard headers.isSecret(name.removingPercentEncoding ?? String(name)) else { return nil as String? }
            let value = String(item.dropFirst(name.count + 1))
            return value.removingPercentEncoding ?? value
        }
        return values + parameters + items
    }

    /// The secrets as they may stand in an answer, the longest first, as another may be a part of it; without those that
    /// are too short to be told from any other word.
    static func spellings(in all: [SentCredentials]) -> [String] {
        let spellings = all.flatMap(\.secrets).flatMap { secret in
            var encoded = ""
            PercentEncoding.append(secret, to: &encoded)
            // As it is, as some write it in JSON, and as it stands in an address.
            return [secret, secret.replacing("/", with: #"\/"#), encoded]
        }
        return Set(spellings).filter { $0.utf8.count >= 6 }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The text with these spellings taken out.
    static func redacted(_ text: String, _ spellings: [String]) -> String {
        spellings.reduce(text) { text, secret in
            text.replacingOccurrences(of: secret, with: SecretNames.replacement, options: .literal)
        }
    }
}
