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
/// A ``query``, ``headers`` or ``body`` of an unsupported type, such as `let headers: [String: String]`, fails with
/// ``NetworkError/invalidRequest(_:)``. Such a member is never silently ignored.
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
    /// The type of the value on success.
    associatedtype ValueType: Sendable
    /// The type of the error on failure. Default: ``NetworkError``.
    associatedtype ErrorType: Error = NetworkError
    /// The value or the error of a request.
    typealias ResultType = Result<ValueType, ErrorType>
    /// The type of ``baseURL``: `String`. The protocol allows any type for this and the members below, so that a property
    /// of another type is found and rejected. Swift would ignore it otherwise, and use the default.
    associatedtype BaseURLType = String
    /// The type of ``method``: ``HTTPMethod``.
    associatedtype MethodType = HTTPMethod
    /// The type of ``query``: ``RequestQuery``.
    associatedtype QueryType = RequestQuery
    /// The type of ``headers``: ``HTTPHeaders``.
    associatedtype HeadersType = HTTPHeaders
    /// The type of ``body``: any ``NetworkEncodable``, or an optional one. Default: `(any NetworkEncodable)?`.
    associatedtype BodyType = (any NetworkEncodable)?
    /// The type of ``options``: ``RequestOptions``.
    associatedtype OptionsType = RequestOptions
    /// The type of ``encoder``: any ``NetworkEncoder``. Default: `any NetworkEncoder`.
    associatedtype EncoderType = any NetworkEncoder
    /// The type of ``decoder``: any ``NetworkDecoder``. Default: `any NetworkDecoder`.
    associatedtype DecoderType = any NetworkDecoder

    /// An absolute http or https URL, or a path below the environment. Default: `""`, the environment itself.
    ///
    /// An absolute URL may have a query if ``path`` is empty. Use one to follow a URL from a server, such as that of
    /// the next page. The items of ``query`` are appended to its query.
    var baseURL: BaseURLType { get }
    /// The path below ``baseURL``.
    var path: RequestPath { get }
    /// The HTTP method. Default: ``HTTPMethod/get``.
    var method: MethodType { get }
    /// The query. Default: empty.
    var query: QueryType { get }
    /// The header fields. Default: empty.
    ///
    /// They take precedence over the configuration's, which take precedence over the defaults.
    var headers: HeadersType { get }
    /// The body. `nil`, the default, sends none.
    var body: BodyType { get }
    /// The options that differ from the configuration's. Default: none.
    var options: OptionsType { get }
    /// The encoder of ``body``. Default: a `JSONEncoder`.
    var encoder: EncoderType { get }
    /// The decoder of the response. Default: a `JSONDecoder`.
    var decoder: DecoderType { get }

    /// The members of a request in the form that is sent.
    typealias SentMembers = (
        baseURL: String, method: HTTPMethod, query: RequestQuery, headers: HTTPHeaders,
        body: (any NetworkEncodable)?, options: RequestOptions
    )

    /// Returns the members in the form that is sent. The default implementation fits every request.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if the type of a member can't be sent.
    func sentMembers() throws(NetworkError.InvalidRequest) -> SentMembers

    /// Returns ``encoder``. The default implementation fits every request.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if it is no ``NetworkEncoder``.
    func bodyEncoder() throws(NetworkError.InvalidRequest) -> any NetworkEncoder

    /// Returns ``decoder``. The default implementation fits every request.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if it is no ``NetworkDecoder``.
    func responseDecoder() throws(NetworkError.InvalidRequest) -> any NetworkDecoder

    /// Reads a response with any status. It isn't called on the caller's actor.
    ///
    /// The default reads a 2xx response as the value, and passes any other to ``handleError(_:)``. To keep that
    /// behavior, call ``accept(_:reading:)``.
    ///
    /// - Parameter response: The response to read.
    /// - Returns: The value or the error.
    func handleResponse(_ response: NetworkResponse) -> ResultType

    /// Converts a failure to the result. It isn't called on the caller's actor.
    ///
    /// The default creates the error with ``NetworkFailure/init(_:)``. An implementation may return a success, such as
    /// `nil` for a 404.
    ///
    /// - Parameter error: The failure of the call.
    /// - Returns: The error, or a value.
    func handleError(_ error: NetworkError) -> ResultType
}

extension NetworkRequest where BaseURLType == String {
    /// The default: the environment itself.
    public var baseURL: String { "" }
}

extension NetworkRequest where MethodType == HTTPMethod {
    /// The default: GET.
    public var method: HTTPMethod { .get }
}

extension NetworkRequest where QueryType == RequestQuery {
    /// The default: an empty query.
    public var query: RequestQuery { RequestQuery() }
}

extension NetworkRequest where HeadersType == HTTPHeaders {
    /// The default: no header fields.
    public var headers: HTTPHeaders { HTTPHeaders() }
}

extension NetworkRequest where BodyType == (any NetworkEncodable)? {
    /// The default: no body.
    public var body: (any NetworkEncodable)? { nil }
}

extension NetworkRequest where OptionsType == RequestOptions {
    /// The default: the configuration's options.
    public var options: RequestOptions { RequestOptions() }
}

extension NetworkRequest where EncoderType == any NetworkEncoder {
    /// The default: a `JSONEncoder`.
    public var encoder: any NetworkEncoder { JSONEncoder() }

    /// Returns the encoder unchanged.
    public func bodyEncoder() -> any NetworkEncoder { encoder }
}

extension NetworkRequest where DecoderType == any NetworkDecoder {
    /// The default: a `JSONDecoder`.
    public var decoder: any NetworkDecoder { JSONDecoder() }

    /// Returns the decoder unchanged.
    public func responseDecoder() -> any NetworkDecoder { decoder }
}

extension NetworkRequest
where
    BaseURLType == String, MethodType == HTTPMethod, QueryType == RequestQuery, HeadersType == HTTPHeaders,
    BodyType == (any NetworkEncodable)?, OptionsType == RequestOptions
{
    /// Returns the members unchanged.
    public func sentMembers() -> SentMembers {
        (baseURL, method, query, headers, body, options)
    }
}

extension NetworkRequest {
    /// Returns the members if their types can be sent.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if the type of a member can't be sent.
    public func sentMembers() throws(NetworkError.InvalidRequest) -> SentMembers {
        (
            try sent(baseURL, as: .baseURL), try sent(method, as: .method), try sent(query, as: .query),
            try sent(headers, as: .headers), try sent(body, as: .body), try sent(options, as: .options)
        )
    }

    /// Returns the encoder if it is one.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if it is no ``NetworkEncoder``.
    public func bodyEncoder() throws(NetworkError.InvalidRequest) -> any NetworkEncoder {
        try sent(encoder, as: .encoder)
    }

    /// Returns the decoder if it is one.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if it is no ``NetworkDecoder``.
    public func responseDecoder() throws(NetworkError.InvalidRequest) -> any NetworkDecoder {
        try sent(decoder, as: .decoder)
    }

    private func sent<Member, Sent>(
        _ member: Member, as name: NetworkError.InvalidRequest.Member
    ) throws(NetworkError.InvalidRequest) -> Sent {
        if let sent = member as? Sent { return sent }
        let advice =
            switch name {
            case .body: "make it conform to NetworkEncodable"
            case .encoder: "make it conform to NetworkEncoder"
            case .decoder: "make it conform to NetworkDecoder"
            default: "declare it as \(Sent.self)"
            }
        throw NetworkError.InvalidRequest(member: name, reason: "its type, \(Member.self), cannot be sent; \(advice)")
    }
}
