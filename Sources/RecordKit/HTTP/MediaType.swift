/// A media type such as `text/html; charset=utf-8` (RFC 9110 section 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// The type in lower case, such as `text`.
    let type: String
    /// The subtype in lower case, such as `html` or `problem+json`.
    let subtype: String
    /// The parameters: names in lower case, and values without quotes.
    public let parameters: [String: String]

    /// Parses a media type. Returns `nil` if the type is not valid, and ignores parameters that are not valid.
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

    /// Returns whether a string is a media type that consists of printable ASCII characters.
    static func isValid(_ text: String) -> Bool {
        MediaType(text) != nil && ByteSet.printable.containsAll(of: text)
    }

    /// The type and subtype without parameters, such as `text/html`.
    public var essence: String { type + "/" + subtype }

    /// Whether the content is JSON: `application/json`, `text/json` or a `+json` type (RFC 6839 section 3.1).
    public var isJSON: Bool { essence == "application/json" || essence == "text/json" || subtype.hasSuffix("+json") }

    /// Whether the content is XML: `application/xml`, `text/xml` or a `+xml` type (RFC 7303).
    var isXML: Bool { essence == "application/xml" || essence == "text/xml" || subtype.hasSuffix("+xml") }

    /// Whether the content is an HTML or XHTML page.
    public var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// Returns whether this type matches a range such as `image/*` (RFC 9110 section 12.5.1).
    ///
    /// All JSON types match each other. So do all XML types, except XHTML pages.
    func isIn(_ range: MediaType) -> Bool {
        if range.isJSON { return isJSON }
        if range.isXML { return isXML && isHTML == range.isHTML }
        return (range.type == type || range.type == "*") && (range.subtype == subtype || range.subtype == "*")
    }
}
