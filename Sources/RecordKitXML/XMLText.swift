import Foundation
import RecordKit

/// Converts a document to UTF-8.
enum XMLText {
    /// Returns the bytes of a document in UTF-8.
    ///
    /// A byte order mark takes precedence over the charset of the response, and that over the document's declaration
    /// (RFC 7303 section 3). The default is UTF-8.
    static func bytes(of data: Data, charset: String?) throws(XMLTreeError) -> [UInt8] {
        let declared = declaredEncoding(data)
        if let declared, !isEncodingName(declared) { throw .encoding(declared) }
        let name = mark(data) ?? charset ?? declared ?? "utf-8"
        guard let text = try? String(data, charset: name) else { throw .encoding(name) }
        // A declaration that can be read as ASCII isn't in an encoding of larger units.
        if data.starts(with: "<?xml".utf8), !text.hasPrefix("<?xml") { throw .encoding(name) }
        return Array(text.utf8)
    }

    /// Returns whether a declaration may have a name (XML section 4.3.3). Charsets are found in spite of spaces.
    private static func isEncodingName(_ name: String) -> Bool {
        name.first?.isLetter == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    /// Returns the charset of a byte order mark, if there is one.
    private static func mark(_ data: Data) -> String? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if data.starts(with: [0xFF, 0xFE]) { return "utf-16le" }
        return data.starts(with: [0xFE, 0xFF]) ? "utf-16be" : nil
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
