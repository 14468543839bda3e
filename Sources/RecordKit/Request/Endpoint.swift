import Foundation

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
    private let content: (any NetworkEncodable & Sendable)?
    private var makeEncoder: (@Sendable () -> any NetworkEncoder)?
    private var makeDecoder: (@Sendable () -> any NetworkDecoder)?

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
    ///   - encoder: Creates the encoder of the body, for each call. `nil` takes the configuration's.
    ///   - decoder: Creates the decoder of the response, for each call. `nil` takes the configuration's.
    public init(
        _ method: HTTPMethod = .get, baseURL: String = "", path: RequestPath, query: RequestQuery = RequestQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: (any NetworkEncodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions(),
        encoder: (@Sendable () -> any NetworkEncoder)? = nil, decoder: (@Sendable () -> any NetworkDecoder)? = nil
    ) {
        self.method = method
        self.baseURL = baseURL
        self.path = path
        self.query = query
        self.headers = headers
        self.options = options
        content = body
        makeEncoder = encoder
        makeDecoder = decoder
    }
}

extension Endpoint: NetworkRequest, _RequestMembers, _RequestHandlers where Failure: NetworkFailure {
    /// The body.
    public var body: (any NetworkEncodable)? { content }
    /// A new encoder for the body. Default: that of the configuration.
    public var encoder: any NetworkEncoder { makeEncoder?() ?? JSONEncoder() }
    /// A new decoder for the response. Default: that of the configuration.
    public var decoder: any NetworkDecoder { makeDecoder?() ?? JSONDecoder() }

    public func _with(
        encoder: @escaping @Sendable () -> any NetworkEncoder, decoder: @escaping @Sendable () -> any NetworkDecoder
    ) -> Self {
        var endpoint = self
        endpoint.makeEncoder = makeEncoder ?? encoder
        endpoint.makeDecoder = makeDecoder ?? decoder
        return endpoint
    }

    /// Reads the value of a 2xx response.
    public func handleResponse(_ response: NetworkResponse) -> Result<Value, Failure> {
        accept(response) { try $0.value(using: decoder) }
    }
}
