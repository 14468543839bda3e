import Foundation

/// One endpoint of a domain and its arguments: a stateless value, nearly always an enum case, that says how it is asked
/// for and reads its own answer or failure.
///
/// To write one, give ``path``, and mostly ``method`` and ``body``; name ``ValueType`` and ``ErrorType``. Everything
/// else has a default. A `ValueType` that is `Decodable`, a ``NetworkValue`` or `Void`, and an `ErrorType` that is a
/// ``NetworkFailure``, need no handling of their own.
///
/// Declare each member with exactly the type that it has here. To Swift a `var body: FormBody?` is another property: the
/// default of ``body`` stays, and the request goes out without one. The compiler warns of it where the conformance and
/// its members stand in an extension of the type.
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
    /// What failure gives.
    associatedtype ErrorType: Error
    typealias ResultType = Result<ValueType, ErrorType>

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
    var query: RequestQuery { get }
    /// They win over the configuration's headers, which win over the defaults. Default: empty.
    var headers: HTTPHeaders { get }
    /// Default: nil.
    var body: (any NetworkEncodable)? { get }
    /// Timeouts and limits that differ from the configuration's. Default: none.
    var options: RequestOptions { get }
    /// What encodes ``body``. Default: a `JSONEncoder`.
    var encoder: any NetworkEncoder { get }
    /// What decodes the answer. Default: a `JSONDecoder`.
    var decoder: any NetworkDecoder { get }

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
    public var query: RequestQuery { RequestQuery() }
    public var headers: HTTPHeaders { HTTPHeaders() }
    public var body: (any NetworkEncodable)? { nil }
    public var options: RequestOptions { RequestOptions() }
    public var encoder: any NetworkEncoder { JSONEncoder() }
    public var decoder: any NetworkDecoder { JSONDecoder() }
}
