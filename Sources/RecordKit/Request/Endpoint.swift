/// A request for an API that is written as functions instead of enums.
///
/// ```swift
/// extension NetworkRequest where Self == Endpoint<Repository, GitHubError> {
///     static func repository(_ owner: String, _ name: String) -> Self {
///         Endpoint(path: "repos/\(owner)/\(name)")
///     }
/// }
///
/// let repository = try await network.value(for: .repository("apple", "swift"))
/// ```
///
/// The value is `Decodable`, a ``NetworkValue`` or `Void`. Any other type fails with ``NetworkError/decoding(_:)``.
///
/// An enum that conforms to ``NetworkRequest`` groups the endpoints of a domain, and errors name its cases. For an
/// `Endpoint`, errors name only its types.
public struct Endpoint<Value: Sendable, Failure: Error>: Sendable {
    /// The base URL. See ``NetworkRequest/baseURL``.
    public var baseURL: String
    /// The path. See ``NetworkRequest/path``.
    public var path: RequestPath
    /// The HTTP method.
    public var method: HTTPMethod
    /// The query. See ``NetworkRequest/query``.
    public var query: RequestQuery
    /// The header fields. See ``NetworkRequest/headers``.
    public var headers: HTTPHeaders
    /// The options. See ``NetworkRequest/options``.
    public var options: RequestOptions
    /// The encoder of the body. See ``NetworkRequest/encoder``.
    public var encoder: (any NetworkEncoder & Sendable)?
    /// The decoder of the response. See ``NetworkRequest/decoder``.
    public var decoder: (any NetworkDecoder & Sendable)?
    private let content: (any NetworkEncodable & Sendable)?

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - method: The HTTP method. Default: GET.
    ///   - baseURL: The base URL. See ``NetworkRequest/baseURL``.
    ///   - path: The path. See ``NetworkRequest/path``.
    ///   - query: The query. See ``NetworkRequest/query``.
    ///   - headers: The header fields. See ``NetworkRequest/headers``.
    ///   - body: The body. It is encoded once for each call.
    ///   - options: The options. See ``NetworkRequest/options``.
    ///   - encoder: The encoder of the body. `nil` takes the configuration's.
    ///   - decoder: The decoder of the response. `nil` takes the configuration's.
    public init(
        _ method: HTTPMethod = .get, baseURL: String = "", path: RequestPath, query: RequestQuery = RequestQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: (any NetworkEncodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions(),
        encoder: (any NetworkEncoder & Sendable)? = nil, decoder: (any NetworkDecoder & Sendable)? = nil
    ) {
        self.method = method
        self.baseURL = baseURL
        self.path = path
        self.query = query
        self.headers = headers
        self.options = options
        content = body
        self.encoder = encoder
        self.decoder = decoder
    }
}

extension Endpoint: NetworkRequest, _RequestMembers, _RequestHandlers where Failure: NetworkFailure {
    /// The body.
    public var body: (any NetworkEncodable)? { content }

    /// Reads the value of a 2xx response.
    public func handleResponse(_ response: NetworkResponse) -> Result<Value, Failure> {
        accept(response) { try $0.value(using: decoder) }
    }
}
