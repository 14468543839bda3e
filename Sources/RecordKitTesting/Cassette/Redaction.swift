import Foundation
import RecordKit

/// Takes out of an exchange what is secret, wherever it stands.
struct Redaction {
    /// Secret beside the well-known ones, in lower case.
    private let names: Set<String>

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    func adding(_ more: Set<String>) -> Redaction {
        more.isEmpty ? self : Redaction(names.union(more))
    }

    private func isSecret(_ name: String) -> Bool {
        names.contains(name) || SecretNames.contains(name)
    }

    func url(_ url: URL) -> String {
        url.redacted(names)
    }

    func headers(_ headers: HTTPHeaders) -> [HTTPArchive.NameAndValue] {
        headers.fields.map { field in
            let isSecret = isSecret(field.name.lowercased()) || headers.isSecret(field.name)
            return HTTPArchive.NameAndValue(
                name: field.name, value: isSecret ? SecretNames.replacement : text(field.value))
        }
    }

    /// Text with the secret items of the addresses in it, and the credentials of those, taken out: where a server
    /// redirects to, the next page.
    func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            result.append(byte)
            index += 1
            if "?&#".utf8.contains(byte) || byte == UInt8(ascii: "6") && result.ends(with: #"\u0026"#) {
                let name = bytes[index...].prefix { !"=?&#\\ \t\r\n\"'<>".utf8.contains($0) }
                guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "="), isSecret(encoded: name)
                else { continue }
                result += name + "=\(SecretNames.replacement)".utf8
                let value = bytes[(name.endIndex + 1)...]
                index = value.firstIndex { "&#\\,; \t\r\n\"'<>".utf8.contains($0) } ?? bytes.count
            } else if byte == UInt8(ascii: "/"), result.ends(with: "://") || result.ends(with: #":\/\/"#) {
                let end = bytes[index...].firstIndex { "/@?#\\ \t\r\n\"'<>".utf8.contains($0) }
                guard let end, bytes[end] == UInt8(ascii: "@") else { continue }
                result += SecretNames.replacement.utf8
                index = end
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func isSecret(encoded name: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        return isSecret((name.removingPercentEncoding ?? name).lowercased())
    }

    /// Fields of JSON, forms, XML and multipart bodies, and what is set in plain text. Bytes that are no text are left as
    /// they are.
    func body(_ body: Data, _ type: MediaType?) -> Data {
        let isText = String(validating: body, as: UTF8.self) != nil
        let pieces =
            BodyPiece.pieces(of: body, type, secret: names)
            ?? (isText ? BodyPiece.pieces(of: body, MediaType("text/plain"), secret: names) : nil)
            ?? [.plain(body)]
        var redacted = Data()
        for piece in pieces {
            switch piece {
            case .plain(let bytes): redacted += bytes
            case .secret:
                // A number or an object becomes a string, so that it is JSON still.
                let isBare = type?.isJSON == true && redacted.last != UInt8(ascii: "\"")
                let replacement = SecretNames.replacement
                redacted += Data((isBare ? "\"\(replacement)\"" : replacement).utf8)
            }
        }
        guard let text = String(validating: redacted, as: UTF8.self) else { return redacted }
        return Data(self.text(text).utf8)
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
