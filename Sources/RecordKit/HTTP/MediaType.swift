/// A media type such as `text/html; charset=utf-8` (RFC 9110 section 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// In lower case: `text`.
    public let type: String
    /// In lower case: `html`, `problem+json`.
    public let subtype: String
    /// Parameters by name in lower case, values without their quotes.
    public let parameters: [String: String]

    /// Nil when the text is no media type. A parameter that cannot be read is left out.
    public init?(_ text: String) {
        let parts = Self.split(text)
        let names = parts[0].parts(between: "/")
        guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty, ByteSet.token.containsAll(of: names[0]),
            ByteSet.token.containsAll(of: names[1])
        else { return nil }
        type = names[0].lowercased()
        subtype = names[1].lowercased()
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = part[..<equals].lowercased()
            guard ByteSet.isToken(name), let value = Self.unquoted(part[part.index(after: equals)...]) else { continue }
            if parameters[name] == nil { parameters[name] = value }
        }
        self.parameters = parameters
    }

    /// Whether the text is a media type, of characters that a header can hold.
    static func isValid(_ text: String) -> Bool {
        MediaType(text) != nil && ByteSet.printable.containsAll(of: text)
    }

    /// Type and subtype alone.
    public var essence: String { type + "/" + subtype }

    /// `application/json` and every `+json` (RFC 6839 section 3.1).
    public var isJSON: Bool { essence == "application/json" || essence == "text/json" || subtype.hasSuffix("+json") }

    /// `application/xml`, `text/xml` and every `+xml` (RFC 7303).
    public var isXML: Bool { essence == "application/xml" || essence == "text/xml" || subtype.hasSuffix("+xml") }

    /// The parts between semicolons that lie outside quotes, trimmed.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var (quoted, escaped) = (false, false)
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case _ where escaped: escaped = false
            case UInt8(ascii: "\\") where quoted: escaped = true
            case UInt8(ascii: "\""): quoted.toggle()
            case UInt8(ascii: ";") where !quoted:
                parts.append(text[start..<index].trimmed)
                start = text.utf8.index(after: index)
            default: break
            }
        }
        return parts + [text[start...].trimmed]
    }

    /// Nil for nothing, and for what is quoted and does not end with its quotes.
    private static func unquoted(_ text: Substring) -> String? {
        guard text.first == "\"" else { return text.isEmpty ? nil : String(text) }
        var rest = text.dropFirst()
        var result = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return rest.isEmpty ? result : nil
            case "\\": result += rest.popFirst().map { String($0) } ?? ""
            default: result.append(character)
            }
        }
        return nil
    }
}
