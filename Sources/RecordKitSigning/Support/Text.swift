import Foundation
import RecordKit

extension Sequence<UInt8> {
    /// The bytes in lowercase hexadecimal digits.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension String {
    /// The string with everything except letters, digits, `-`, `.`, `_` and `~` percent-encoded (RFC 3986 section 2.3).
    var percentEncoded: String { utf8.map(Self.percentEncoded).joined() }

    /// The string with everything except letters, digits, `*`, `-`, `.` and `_` percent-encoded: the
    /// application/x-www-form-urlencoded percent-encode set of the URL Standard.
    var formEncoded: String { percentEncoded.replacing("~", with: "%7E").replacing("%2A", with: "*") }

    /// The percent-encoded string with percent-encodings in their canonical form, and everything else encoded that is
    /// neither unreserved nor among these characters.
    func recoded(keeping characters: String = "") -> String {
        let bytes = Array(utf8)
        var result = ""
        var index = 0
        while index < bytes.count {
            let digits = String(decoding: bytes[(index + 1)...].prefix(2), as: UTF8.self)
            if bytes[index] == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let byte = UInt8(digits, radix: 16)
            {
                result += Self.percentEncoded(byte)
                index += 3
            } else {
                let isKept = characters.utf8.contains(bytes[index])
                result += isKept ? String(UnicodeScalar(bytes[index])) : Self.percentEncoded(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func percentEncoded(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            String(UnicodeScalar(byte))
        default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
    }

    /// Sixteen random bytes in hexadecimal digits, for a nonce.
    static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
    }
}

extension URL {
    /// The percent-encoded path and query of the request target (RFC 9112 section 3.2.1). The path is at least `/`.
    var target: (path: String, query: String?) {
        let text = absoluteString.prefix { $0 != "#" }
        let place = text.prefix { $0 != "?" }
        let query = text.dropFirst(place.count)
        let path = place.range(of: "://").map { place[$0.upperBound...].drop { $0 != "/" } } ?? ""
        return (path.isEmpty ? "/" : String(path), query.isEmpty ? nil : String(query.dropFirst()))
    }
}

extension NetworkCall {
    /// The value of `Host`: the host in lower case, and the port unless it is the scheme's.
    var hostField: String {
        if let field = headers["Host"] { return field.lowercased() }
        return origin.port == (origin.scheme == "http" ? 80 : 443) ? origin.host : origin.hostAndPort
    }

    /// The fields of a form in the body (RFC 5849 section 3.4.1.3.1). Empty for any other body.
    func formFields() async throws(NetworkError) -> [RequestQuery.Item] {
        guard let body else { return [] }
        let type = (headers["Content-Type"] ?? body.contentType).prefix { $0 != ";" }.lowercased()
        guard type.trimmingCharacters(in: .whitespaces) == "application/x-www-form-urlencoded" else { return [] }
        return RequestQuery(parsing: String(decoding: try await body.data(), as: UTF8.self)).items
    }
}

extension NetworkCall {
    /// Passes the bytes of the body to a function. Reads a stream into a file, which is then sent.
    mutating func readBody(_ use: (Data) -> Void) async throws(NetworkError) {
        guard let spooled = try await body?.spooled() else { return }
        body = spooled
        var reader = EncodedBody.Reader(spooled)
        while let chunk = try await reader.next() { use(chunk) }
    }
}
