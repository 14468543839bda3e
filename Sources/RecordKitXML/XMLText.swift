import Foundation
import RecordKit

/// Converts a document to UTF-8.
enum XMLText {
    /// Returns the bytes of a document in UTF-8.
    ///
    /// A byte order mark takes precedence over the charset of the response, and that over the document's declaration
    /// (RFC 7303 section 3). The default is UTF-8.
    static func bytes(of data: Data, charset: String?) throws(UnreadableXML) -> [UInt8] {
        let (encoding, name) = try encoding(of: data, charset: charset)
        let isUTF8 = encoding == .utf8 || encoding == .ascii
        // Foundation drops an incomplete character at the end.
        guard data.count.isMultiple(of: encoding.unitLength),
            let text = isUTF8 ? String(validating: data, as: UTF8.self) : String(data: data, encoding: encoding)
        else {
            throw .encoding(name)
        }
        let scalars = text.unicodeScalars
        return Array(text.utf8.dropFirst(scalars.first == "\u{FEFF}" ? 3 : 0))
    }

    private static func encoding(
        of data: Data, charset: String?
    ) throws(UnreadableXML) -> (encoding: String.Encoding, name: String) {
        let head = Array(data.prefix(3))
        if head == [0xEF, 0xBB, 0xBF] { return (.utf8, "utf-8") }
        if head.prefix(2) == [0xFF, 0xFE] { return (.utf16LittleEndian, "utf-16") }
        if head.prefix(2) == [0xFE, 0xFF] { return (.utf16BigEndian, "utf-16") }
        guard let name = charset ?? declaredEncoding(data) else { return (.utf8, "utf-8") }
        guard let encoding = String.Encoding(charset: name) else { throw .encoding(name) }
        // A declaration that can be read as ASCII isn't in an encoding of larger units.
        if charset == nil, encoding.unitLength > 1 { throw .encoding(name) }
        return (encoding, name)
    }

    /// Returns the encoding in `<?xml version="1.0" encoding="…"?>`.
    private static func declaredEncoding(_ data: Data) -> String? {
        let start = String(decoding: Array(data.prefix(200)), as: UTF8.self)
        guard start.hasPrefix("<?xml") else { return nil }
        let head = start.prefix { $0 != ">" }
        guard let name = head.range(of: "encoding") else { return nil }
        let rest = head[name.upperBound...].drop { $0 != "\"" && $0 != "'" }
        guard let quote = rest.first else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote })
    }
}

extension String.Encoding {
    /// The number of bytes of a code unit.
    fileprivate var unitLength: Int {
        switch self {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32: 4
        default: 1
        }
    }
}
