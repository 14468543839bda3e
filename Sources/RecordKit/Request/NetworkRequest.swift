import Foundation

/// A request to one endpoint of a domain.
///
/// A request is a value without state, usually an enum case with arguments. It describes what to send, and reads the
/// response or the failure.
///
/// To write a request, implement ``path`` and usually ``method`` and ``body``, and declare ``ValueType`` and
/// ``ErrorType``. Everything else has a default. A `ValueType` that is `Decodable`, a ``NetworkValue`` or `Void` needs
/// no reading code. Nor does an `ErrorType` that is a ``NetworkFailure``.
///
/// A member of another type, such as `let headers: [String: String]`, doesn't compile. A ``body``, ``encoder`` or
/// ``decoder`` may have the type of its value: `let body: FormBody`, `var decoder: JSONDecoder`.
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
///
/// A request around another one passes on all members:
///
/// ```swift
/// struct Logged<Request: NetworkRequest>: NetworkRequest {
///     let request: Request
///
///     var baseURL: String { request.baseURL }
///     var path: RequestPath { request.path }
///     var method: HTTPMethod { request.method }
///     var query: RequestQuery { request.query }
///     var headers: HTTPHeaders { request.headers }
///     var body: (any NetworkEncodable)? { request.body }
///     var encoder: (any NetworkEncoder)? { request.encoder }
///     var decoder: (any NetworkDecoder)? { request.decoder }
///     var options: RequestOptions { request.options }
///
///     func handleResponse(_ response: NetworkResponse) -> Request.ResultType {
///         print(response)
///         return request.handleResponse(response)
///     }
///     func handleError(_ error: NetworkError) -> Request.ResultType {
///         request.handleError(error)
///     }
/// }
/// ```
public protocol NetworkRequest: _RequestMembers, _RequestHandlers {
    /// The type of the value on success.
    associatedtype ValueType: Sendable = _MissingValueType
    /// The type of the error on failure. Default: ``NetworkError``.
    associatedtype ErrorType: Error = NetworkError
    /// The value or the error of a request.
    typealias ResultType = Result<ValueType, ErrorType>

    /// An absolute http or https URL, or a path below the environment. Default: `""`, the environment itself.
    ///
    /// An absolute URL may have a query if ``path`` is empty. Use one to follow a URL from a server, such as that of
    /// the next page. The items of ``query`` are appended to its query.
    var baseURL: String { get }
    /// The path below ``baseURL``.
    var path: RequestPath { get }
    /// The HTTP method. Default: ``HTTPMethod/get``.
    var method: HTTPMethod { get }
    /// The query. Default: empty.
    var query: RequestQuery { get }
    /// The header fields. Default: empty.
    ///
    /// They take precedence over the configuration's, which take precedence over the defaults.
    var headers: HTTPHeaders { get }
    /// The body. `nil`, the default, sends none.
    var body: (any NetworkEncodable)? { get }
    /// The options that differ from the configuration's. Default: none.
    var options: RequestOptions { get }
    /// The encoder of ``body``. `nil`, the default, is the configuration's, and without one a `JSONEncoder`.
    var encoder: (any NetworkEncoder)? { get }
    /// The decoder of the response. `nil`, the default, is the configuration's, and without one a `JSONDecoder`.
    var decoder: (any NetworkDecoder)? { get }

    /// Reads a response with any status. It isn't called on the caller's actor.
    ///
    /// The default reads a 2xx response as the value, and passes any other to ``handleError(_:)``. To keep that
    /// behavior, call ``accept(_:reading:)``.
    ///
    /// - Parameter response: The response to read.
    /// - Returns: The value or the error.
    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType>

    /// Converts a failure to the result. It isn't called on the caller's actor.
    ///
    /// The default creates the error with ``NetworkFailure/init(_:)``. An implementation may return a success, such as
    /// `nil` for a 404.
    ///
    /// - Parameter error: The failure of the call.
    /// - Returns: The error, or a value.
    func handleError(_ error: NetworkError) -> Result<ValueType, ErrorType>

    // See `_RequestMembers`. Declared here, these checks are reported with this protocol's own errors.
    static var _membersHaveTheTypesOfNetworkRequest: Void { get }
    static var _bodyIsNetworkEncodable: Void { get }
    static var _encoderIsNetworkEncoder: Void { get }
    static var _decoderIsNetworkDecoder: Void { get }
    static var _handlersHaveTheTypesOfNetworkRequest: Void { get }
}
