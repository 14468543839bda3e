/// The method of a request (RFC 9110 section 9).
///
/// The usual methods are constants. Write any other method as a literal, such as `"PURGE"`.
///
/// A method is a case-sensitive token. `get`, `head`, `post`, `put`, `delete` and `connect` are uppercased in any case,
/// since URLSession sends them in upper case. Building a request throws an error if its method is not a token.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method from its name.
    public init(rawValue: String) {
        // Uppercasing turns some non-ASCII letters into ASCII ones: a method with such a letter has to stay invalid.
        let name = ByteSet.alphanumerics.containsAll(of: rawValue) ? rawValue.uppercased() : rawValue
        self.rawValue = Self.inCapitals.contains(name) ? name : rawValue
    }

    /// The methods that URLSession uppercases.
    private static let inCapitals = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"]

    /// Requests a representation of a resource (RFC 9110 section 9.3.1).
    public static let get: HTTPMethod = "GET"
    /// Requests the header fields that GET would return (RFC 9110 section 9.3.2).
    public static let head: HTTPMethod = "HEAD"
    /// Requests that a resource process the body (RFC 9110 section 9.3.3).
    public static let post: HTTPMethod = "POST"
    /// Creates or replaces a resource (RFC 9110 section 9.3.4).
    public static let put: HTTPMethod = "PUT"
    /// Changes a part of a resource (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"
    /// Deletes a resource (RFC 9110 section 9.3.5).
    public static let delete: HTTPMethod = "DELETE"
    /// Requests the options of communication with a resource (RFC 9110 section 9.3.7).
    public static let options: HTTPMethod = "OPTIONS"
    /// Requests that the request be returned as it arrived (RFC 9110 section 9.3.8). URLSession may refuse it.
    public static let trace: HTTPMethod = "TRACE"
    /// Requests a tunnel (RFC 9110 section 9.3.6). Transports set up tunnels through a proxy themselves.
    public static let connect: HTTPMethod = "CONNECT"

    /// Whether requests with this method have no body (RFC 9110 section 9.3).
    var isWithoutBody: Bool { [.get, .head, .trace, .connect].contains(self) }

    /// Whether requests with this method are read-only (RFC 9110 section 9.2.1): GET, HEAD, OPTIONS, TRACE, and QUERY
    /// (draft-ietf-httpbis-safe-method-w-body).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, "QUERY": true
        default: false
        }
    }

    /// Whether requests with this method may be sent more than once (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: ExpressibleByStringLiteral, TextConvertible {
    /// Creates a method from a string literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The method as it is sent.
    var text: String { rawValue }
}
