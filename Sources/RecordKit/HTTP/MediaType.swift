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
        let parts = text[...].parts(betweenUnquoted: ";")
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
            guard ByteSet.isToken(name), let value = part[part.index(after: equals)...].unquoted else { continue }
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
}
