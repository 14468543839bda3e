import Foundation
import RecordKit

/// Takes out of an exchange what is secret, wherever it stands.
struct Redaction {
    /// Secret beside the well-known ones, in lower case.
    private var names: Set<String>
    /// The credentials of the call, which a server may send back under any name.
    private var spellings: [String] = []

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    func adding(_ more: Set<String>) -> Redaction {
        var redaction = self
        redaction.names.formUnion(more)
        return redaction
    }

    /// Also of what a call was sent with: for what its server sends back.
    func adding(credentialsOf call: NetworkCall) -> Redaction {
        var redaction = self
        redaction.spellings = SentCredentials.spellings(in: [call.credentials])
        return redaction
    }

    func url(_ url: URL) -> String {
        withoutCredentials(url.redacted(names))
    }

    func headers(_ headers: HTTPHeaders) -> [HTTPArchive.NameAndValue] {
        var headers = headers
        headers.markSecret(names)
        return headers.redacted().fields.map { field in
            HTTPArchive.NameAndValue(name: field.name, value: withoutCredentials(field.value))
        }
    }

    /// Text with the secret items of the addresses in it, and the credentials of those, taken out: where a server
    /// redirects to, the next page.
    func text(_ text: String) -> String {
        withoutCredentials(AddressSecrets.redacted(text, SecretNames(names)))
    }

    /// A short one, or a number, only as a whole word, as it may be a part of any other; a number becomes one, so that
    /// JSON stays JSON.
    private func withoutCredentials(_ text: String) -> String {
        spellings.reduce(text) { text, secret in
            let isNumber = secret.allSatisfy(\.isNumber)
            var redacted = ""
            var start = text.startIndex
            for range in EscapedText.ranges(of: secret, in: text) {
                if isNumber || secret.utf8.count < 12 {
                    let before = text[..<range.lowerBound]
                    if Self.isOfAWord(text[range.upperBound...].first) { continue }
                    if Self.isOfAWord(before.last), !Self.endsInEscape(before) { continue }
                }
                redacted += text[start..<range.lowerBound] + (isNumber ? "0" : SecretNames.replacement)
                start = range.upperBound
            }
            return redacted + text[start...]
        }
    }

    private static func isOfAWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }

    /// Whether the last letter or digit is none of a word, but of `\n`, `%20` or `\u0020`.
    private static func endsInEscape(_ text: Substring) -> Bool {
        text.suffix(2).first == "\\" || text.suffix(6).starts(with: #"\u"#)
            || text.suffix(3).first == "%" && text.suffix(2).allSatisfy(\.isHexDigit)
    }

    /// Fields of JSON, forms, XML and multipart bodies, and what is set in plain text. Bytes that are no text are left
    /// as they are.
    func body(_ body: Data, _ type: MediaType?) -> Data {
        var redacted = Data()
        for piece in BodyPiece.searchedPieces(of: body, type, secret: names) {
            switch piece {
            case .plain(let bytes): redacted += bytes
            // Within it another may stand.
            case .secret(let name, let value) where describes(name): redacted += self.body(value, type)
            case .secret(_, let value):
                let text = Self.isMember(after: redacted) ? Self.bare(value) : SecretNames.replacement
                redacted += Data(text.utf8)
            }
        }
        if let text = String(validating: redacted, as: UTF8.self) { return Data(self.text(text).utf8) }
        guard let type, type.isText || type.type == "multipart" else { return redacted }
        // In another charset, or beside the bytes of a picture: each byte as the character of its number.
        var text = String.UnicodeScalarView()
        text.append(contentsOf: redacted.map { Unicode.Scalar($0) })
        return Data(self.text(String(text)).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    /// Whether a name tells something of a secret, and not the secret: the kind of a token, when it ends, where to get
    /// one (RFC 6749, RFC 8414). Without it what reads the answer could not go on.
    private func describes(_ name: String) -> Bool {
        let name = name.lowercased()
        let letters = name.filter { $0 != "_" && $0 != "-" }
        return !names.contains(name) && Self.descriptions.contains { letters.hasSuffix($0) }
    }

    private static let descriptions = [
        "type", "endpoint", "algorithm", "alg", "supported", "expiresin", "expiresat", "expiration",
    ]

    /// Whether what follows is a value of JSON without quotes, in a body of whatever type: behind a name in quotes and a
    /// colon.
    private static func isMember(after text: Data) -> Bool {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        return text.lazy.reversed().filter { !spaces.contains($0) }.prefix(2).elementsEqual(":\"".utf8)
    }

    /// In the place of a JSON value without quotes, one of the same kind: what reads the answer reads the recording
    /// too, be it a count such as `tokens_left`.
    private static func bare(_ value: Data) -> String {
        switch value.first {
        case UInt8(ascii: "{"): "{}"
        case UInt8(ascii: "["): "[]"
        default: "0"
        }
    }
}
