import Foundation

/// What a request was sent with. A server may send its credentials back: in a header, a body, or what it says in words.
package struct SentCredentials: Sendable {
    let method: HTTPMethod
    let headers: HTTPHeaders
    let url: URL

    /// The secrets as they may stand in an answer, the longest first, as another may be a part of it; without those
    /// that are too short to be told from any other word.
    package static func spellings(in all: [SentCredentials]) -> [String] {
        var spellings: [String] = []
        for sent in all { sent.add(to: &spellings) }
        return spellings
    }

    private func add(to spellings: inout [String]) {
        for field in headers.fields where headers.isSecret(field.name) {
            Self.add(field.value, to: &spellings)
            // What follows the word of a scheme is secret without it too.
            for word in field.value[...].parts(between: " ").dropFirst() { Self.add(String(word), to: &spellings) }
        }
        for item in (url.query(percentEncoded: true) ?? "")[...].parts(between: "&") {
            let name = item.prefix { $0 != "=" }
            guard headers.isSecret(name.removingPercentEncoding ?? String(name)) else { continue }
            let value = String(item.dropFirst(name.count + 1))
            Self.add(value.removingPercentEncoding ?? value, to: &spellings)
        }
    }

    private static func add(_ secret: String, to spellings: inout [String]) {
        var encoded = ""
        PercentEncoding.append(secret, to: &encoded)
        // As it is, as some write it in JSON, and as it stands in an address.
        for spelling in [secret, secret.replacing("/", with: #"\/"#), encoded] where !spellings.contains(spelling) {
            if spelling.utf8.count < 6 { continue }
            let index = spellings.firstIndex { $0.utf8.count < spelling.utf8.count }
            spellings.insert(spelling, at: index ?? spellings.endIndex)
        }
    }

    /// The text with these spellings taken out.
    static func redacted(_ text: String, _ spellings: [String]) -> String {
        spellings.reduce(text) { text, secret in
            text.replacingOccurrences(of: secret, with: SecretNames.replacement, options: .literal)
        }
    }
}
