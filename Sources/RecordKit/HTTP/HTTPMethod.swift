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

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// A safe request with a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query = HTTPMethod(rawValue: "QUERY")

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

extension HTTPMethod: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    public var description: String { rawValue }
}
