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
            for secret in [field.value] + Self.secrets(in: field) { Self.add(secret, to: &spellings) }
        }
        for item in FormText.items(of: url) where headers.isSecret(item.name) { Self.add(item.value, to: &spellings) }
    }

    /// What is secret without the rest of its field too: the value of each cookie, what follows the word of a scheme,
    /// and the password in that of Basic (RFC 7617 section 2).
    private static func secrets(in field: HTTPHeaders.Field) -> [String] {
        if HTTPHeaders.matches(field.name, "Cookie") {
            return field.value[...].parts(between: ";").map { String($0.drop { $0 != "=" }.dropFirst()) }
        }
        let words = field.value[...].parts(between: " ")
        let secrets = words.dropFirst().map { String($0) }
        guard words[0].lowercased() == "basic", let data = secrets.first.flatMap({ Data(base64Encoded: $0) }) else {
            return secrets
        }
        return secrets + [String(decoding: data.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self)]
    }

    private static func add(_ secret: String, to spellings: inout [String]) {
        var encoded = ""
        PercentEncoding.append(secret, to: &encoded)
        // As it is, as some write it in JSON, and as it stands in an address, whose plus signs may be spaces.
        let inJSON = secret.replacing("/", with: #"\/"#)
        for spelling in [secret, inJSON, encoded, secret.replacing(" ", with: "+")]
        where !spellings.contains(spelling) {
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
