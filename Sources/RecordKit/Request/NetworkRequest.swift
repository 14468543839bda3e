import Foundation

/// One endpoint of a domain and its arguments: a stateless value, nearly always an enum case, that says how it is asked
/// for and reads its own answer or failure.
///
/// To write one, give ``path``, and mostly ``method`` and ``body``; name ``ValueType`` and ``ErrorType``. Everything
/// else has a default. A `ValueType` that is `Decodable`, a ``NetworkValue`` or `Void`, and an `ErrorType` that is a
/// ``NetworkFailure``, need no handling of their own.
///
/// A ``query``, ``headers`` or ``body`` of a type that cannot be sent, such as `let headers: [String: String]`, is
/// ``NetworkError/invalidRequest(_:)``: such a member is never left out in silence.
///
/// ```swift
/// enum RecordService {
///     enum One: NetworkRequest {
///         typealias ValueType = Record
///         typealias ErrorType = InventoryError
///
///         case fetch(sku: String)
///         case create(Record)
///
///         var path: RequestPath {
///             switch self {
///             case .fetch(let sku): "records/\(sku)"
///             case .create: "records"
///             }
///         }
///         …
///     }
/// }
/// ```
public protocol NetworkRequest: Sendable {
    /// What success gives.
    associatedtype ValueType: Sendable
    /// What failure gives. Default: ``NetworkError``.
    associatedtype ErrorType: Error = NetworkError
    typealias ResultType = Result<ValueType, ErrorType>
    /// The type of ``query``: ``RequestQuery``. It is open, so that a property of another type is found and refused.
    associatedtype QueryType = RequestQuery
    /// The type of ``headers``: ``HTTPHeaders``. It is open for the same reason.
    associatedtype HeadersType = HTTPHeaders
    /// The type of ``body``: any ``NetworkEncodable``, or an optional one. Default: `(any NetworkEncodable)?`.
    associatedtype BodyType = (any NetworkEncodable)?

    /// An absolute http or https URL, or a path below the environment. Default: `""`, the environment itself.
    ///
    /// An absolute one may have a query when ``path`` is empty: so an address that a server gave, of a next page or a
    /// file, is asked for as it is, and the items of ``query`` are added to its own.
    var baseURL: String { get }
    /// The path below ``baseURL``.
    var path: RequestPath { get }
    /// Default: ``HTTPMethod/get``.
    var method: HTTPMethod { get }
    /// Default: empty.
    var query: QueryType { get }
    /// They win over the configuration's headers, which win over the defaults. Default: empty.
    var headers: HeadersType { get }
    /// Nothing is sent for nil, which is the default.
    var body: BodyType { get }
    /// Timeouts and limits that differ from the configuration's. Default: none.
    var options: RequestOptions { get }
    /// What encodes ``body``. Default: a `JSONEncoder`.
    var encoder: any NetworkEncoder { get }
    /// What decodes the answer. Default: a `JSONDecoder`.
    var decoder: any NetworkDecoder { get }

    /// The types that ``sentMembers()`` returns.
    typealias SentMembers = (query: RequestQuery, headers: HTTPHeaders, body: (any NetworkEncodable)?)

    /// Returns ``query``, ``headers`` and ``body`` as they are sent. The defaults serve every request.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if one is of a type that cannot be sent.
    func sentMembers() throws(NetworkError.InvalidRequest) -> SentMembers

    /// Reads an answer, whatever its status. Called off the caller's actor.
    ///
    /// The default looks at the status first: a 2xx is read as the value, anything else goes to ``handleError(_:)``. An
    /// override calls ``accept(_:reading:)`` to keep that.
    func handleResponse(_ response: NetworkResponse) -> ResultType

    /// Reads a failure; may turn it into a success, such as a 404 that means nil. Called off the caller's actor.
    ///
    /// Default: a failure made by ``NetworkFailure/init(_:)``.
    func handleError(_ error: NetworkError) -> ResultType
}

extension NetworkRequest {
    public var baseURL: String { "" }
    public var method: HTTPMethod { .get }
    public var options: RequestOptions { RequestOptions() }
    public var encoder: any NetworkEncoder { JSONEncoder() }
    public var decoder: any NetworkDecoder { JSONDecoder() }
}

extension NetworkRequest where QueryType == RequestQuery {
    public var query: RequestQuery { RequestQuery() }
}

extension NetworkRequest where HeadersType == HTTPHeaders {
    public var headers: HTTPHeaders { HTTPHeaders() }
}

extension NetworkRequest where BodyType == (any NetworkEncodable)? {
    public var body: (any NetworkEncodable)? { nil }
}
