public import Foundation

/// A ready-made request, for an API that is written as functions rather than enums.
///
/// ```swift
/// extension Endpoint where Value == Repository, Failure == GitHubError {
///     static func repository(_ owner: String, _ name: String) -> Self {
///         Endpoint(path: "repos/\(owner)/\(name)")
///     }
/// }
///
/// let repository = try await network.value(for: .repository("apple", "swift"))
/// ```
///
/// An enum that conforms to ``NetworkRequest`` groups the endpoints of a domain and names each in errors; an `Endpoint` is
/// named for its types alone.
public struct Endpoint<Value: Sendable, Failure: Error>: Sendable {
    public var baseURL: String
    public var path: RequestPath
    public var method: HTTPMethod
    public var query: RequestQuery
    public var headers: HTTPHeaders
    public var options: RequestOptions
    private let content: (any NetworkEncodable & Sendable)?
    private let makeEncoder: @Sendable () -> any NetworkEncoder
    private let makeDecoder: @Sendable () -> any NetworkDecoder

    /// - Parameters:
    ///   - method: Default: GET.
    ///   - baseURL: See ``NetworkRequest/baseURL``.
    ///   - path: See ``NetworkRequest/path``.
    ///   - query: See ``NetworkRequest/query``.
    ///   - headers: See ``NetworkRequest/headers``.
    ///   - body: The body; encoded once for each call.
    ///   - options: See ``NetworkRequest/options``.
    ///   - encoder: What encodes the body, made for each call.
    ///   - decoder: What decodes the response, made for each call.
    public init(
        _ method: HTTPMethod = .get, baseURL: String = "", path: RequestPath, query: RequestQuery = RequestQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: (any NetworkEncodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions(),
        encoder: @escaping @Sendable () -> any NetworkEncoder = { JSONEncoder() },
        decoder: @escaping @Sendable () -> any NetworkDecoder = { JSONDecoder() }
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

extension Endpoint: NetworkRequest where Value: Decodable, Failure: NetworkFailure {
    public typealias ValueType = Value
    public typealias ErrorType = Failure

    public var body: (any NetworkEncodable)? { content }
    public var encoder: any NetworkEncoder { makeEncoder() }
    public var decoder: any NetworkDecoder { makeDecoder() }
}
