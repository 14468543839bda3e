/// The method of a request (RFC 9110 section 9): a token, case-sensitive, except that `get`, `head`, `post`, `put`,
/// `delete` and `connect` become capitals however they are written, because URLSession sends them so.
///
/// The standard methods are constants; any other is written as a literal, `"PURGE"`.
/// A method that is no token is reported when the request is built, not here.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        // Some letters beyond ASCII have one of ASCII as their capital; they have no place in a method.
        let name = ByteSet.alphanumerics.containsAll(of: rawValue) ? rawValue.uppercased() : rawValue
        self.rawValue = Self.inCapitals.contains(name) ? name : rawValue
    }

    private static let inCapitals = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"]

    /// A standard method (RFC 9110 section 9.3, RFC 5789).
    public static let get: HTTPMethod = "GET", head: HTTPMethod = "HEAD", post: HTTPMethod = "POST",
        put: HTTPMethod = "PUT", patch: HTTPMethod = "PATCH", delete: HTTPMethod = "DELETE",
        options: HTTPMethod = "OPTIONS", trace: HTTPMethod = "TRACE"
    /// The method of a safe request with a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query: HTTPMethod = "QUERY"

    /// Whether a request of this method has no body (RFC 9110 section 9.3).
    var isWithoutBody: Bool { [.get, .head, .trace, "CONNECT"].contains(self) }

    /// Whether a request of this method asks for no change (RFC 9110 section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether a request of this method may be sent twice (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: ExpressibleByStringLiteral, TextConvertible {
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    var text: String { rawValue }
}
