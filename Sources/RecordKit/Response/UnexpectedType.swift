/// An answer of another content type than the one that was expected.
public struct UnexpectedType: Error, Sendable, CustomStringConvertible {
    /// What was expected, such as `application/json`.
    public let expected: String
    /// What `Content-Type` says.
    public let received: MediaType
    /// What a decoder made of it, when one tried.
    public let cause: (any Error)?

    public init(expected: String, received: MediaType, cause: (any Error)? = nil) {
        self.expected = expected
        self.received = received
        self.cause = cause
    }

    public var description: String {
        let text = "it is \(received.essence) where \(expected) was expected"
        return received.isHTML
            ? "\(text); a page of the network's sign-in, or of a proxy, may stand in the server's place" : text
    }
}

extension MediaType {
    var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// Whether this type is in a range such as `image/*` (RFC 9110 section 12.5.1). Every JSON type is in every other
    /// one's, and so is every XML type but pages.
    func isIn(_ range: MediaType) -> Bool {
        if range.isJSON { return isJSON }
        if range.isXML { return isXML && isHTML == range.isHTML }
        return (range.type == type || range.type == "*") && (range.subtype == subtype || range.subtype == "*")
    }
}
