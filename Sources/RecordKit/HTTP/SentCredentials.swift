import Foundation

/// What a request was sent with. A server may send its credentials back: in a header, a body, or what it says in words.
package struct SentCredentials: Sendable {
    let method: HTTPMethod
    let headers: HTTPHeaders
    let url: URL
    /// With what redirects led away from the origins before, each of which may have put it into the next address.
    let before: [SentCredentials]

    /// The secrets as they may stand in an answer, the longest first, as another may be a part of it; without those
    /// that are too short to be told from any other word.
    package static func spellings(in all: [SentCredentials]) -> [String] {
        var spellings: [String] = []
        for sent in all.flatMap({ $0.before + [$0] }) { sent.add(to: &spellings) }
        return spellings
    }

    private func add(to spellings: inout [String]) {
        for field in headers.fields where headers.isSecret(field.name) {
            for secret in [field.value] + Self.secrets(in: field) { Self.add(secret, to: &spellings) }
        }
        for item in FormText.items(of: url) where headers.isSecret(item.name) { Self.add(item.value, to: &spellings) }
    }

    /// What is secret without the rest of its field too: the value of each cookie, what follows the word of a scheme,
    /// the password in that of Basic (RFC 7617 section 2), and a parameter of a secret name, as in `Token token="…"`.
    private static func secrets(in field: HTTPHeaders.Field) -> [String] {
        if HTTPHeaders.matches(field.name, "Cookie") {
            // Some write them in quotes (RFC 6265 section 4.1.1) or percent-encoded, and whoever reads them leaves that out.
            let values = field.value[...].parts(between: ";").map { cookie in
                let value = cookie.drop { $0 != "=" }.dropFirst()
                return (value.removingPercentEncoding ?? String(value)).trimmingCharacters(in: quotesAndBlanks)
            }
            // A short word, as in `theme=default`, is a setting, and may stand anywhere in an answer.
            return values.filter { $0.utf8.count >= 12 || !$0.allSatisfy(\.isLetter) }
        }
        let words = field.value.split(separator: " ")
        let secrets = words.dropFirst().map { String($0) }
        guard words.first?.lowercased() == "basic", let data = secrets.first.flatMap({ Data(base64Encoded: $0) }) else {
            return secrets + secretParameters(in: field.value)
        }
        return secrets + [String(decoding: data.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self)]
    }

    private static func secretParameters(in value: String) -> [String] {
        let names = SecretNames([])
        return value[...].parts(between: " ,").compactMap { parameter in
            let name = parameter.prefix { $0 != "=" }
            guard names.isSecret(String(name)) else { return nil }
            return parameter.dropFirst(name.count + 1).trimmingCharacters(in: quotesAndBlanks)
        }
    }

    private static let quotesAndBlanks = CharacterSet(charactersIn: "\" \t")

    private static func add(_ secret: String, to spellings: inout [String]) {
        // In an address plus signs may be spaces; what else escapes it is looked through.
        for spelling in [secret, secret.replacing(" ", with: "+")] where !spellings.contains(spelling) {
            if spelling.utf8.count < 6 { continue }
            let index = spellings.firstIndex { $0.utf8.count < spelling.utf8.count }
            spellings.insert(spelling, at: index ?? spellings.endIndex)
        }
    }

    /// The text with these spellings taken out.
    ///
    /// - Parameter isCut: whether it may end within one.
    static func redacted(_ text: String, _ spellings: [String], isCut: Bool = false) -> String {
        spellings.reduce(text) { text, secret in
            var redacted = ""
            var start = text.startIndex
            for range in EscapedText.ranges(of: secret, in: text, isCut: isCut) {
                redacted += text[start..<range.lowerBound] + SecretNames.replacement
                start = range.upperBound
            }
            return redacted + text[start...]
        }
    }
}
