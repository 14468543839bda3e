import Foundation

// Swift ignores a member whose type differs from that of a requirement with a default, and uses the default. So the
// requirements of `NetworkRequest` are declared here a second time, with open types. A member of a wrong type is then
// the witness of the open requirement, its type has no `_membersHaveTheTypesOfNetworkRequest`, and the compiler reports
// it.

/// The members of a ``NetworkRequest`` with open types. Don't conform to it directly.
public protocol _RequestMembers: Sendable {
    associatedtype _BaseURLType = String
    associatedtype _MethodType = HTTPMethod
    associatedtype _QueryType = RequestQuery
    associatedtype _HeadersType = HTTPHeaders
    associatedtype _BodyType = (any NetworkEncodable)?
    associatedtype _OptionsType = RequestOptions
    associatedtype _EncoderType = (any NetworkEncoder)?
    associatedtype _DecoderType = (any NetworkDecoder)?

    var baseURL: _BaseURLType { get }
    var method: _MethodType { get }
    var query: _QueryType { get }
    var headers: _HeadersType { get }
    var body: _BodyType { get }
    var options: _OptionsType { get }
    var encoder: _EncoderType { get }
    var decoder: _DecoderType { get }
}

extension _RequestMembers
where
    _BaseURLType == String, _MethodType == HTTPMethod, _QueryType == RequestQuery, _HeadersType == HTTPHeaders,
    _OptionsType == RequestOptions
{
    public static var _membersHaveTheTypesOfNetworkRequest: Void { () }
}

extension _RequestMembers where _BaseURLType == String {
    /// The default: the environment itself.
    public var baseURL: String { "" }
}

extension _RequestMembers where _MethodType == HTTPMethod {
    /// The default: GET.
    public var method: HTTPMethod { .get }
}

extension _RequestMembers where _QueryType == RequestQuery {
    /// The default: an empty query.
    public var query: RequestQuery { RequestQuery() }
}

extension _RequestMembers where _HeadersType == HTTPHeaders {
    /// The default: no header fields.
    public var headers: HTTPHeaders { HTTPHeaders() }
}

extension _RequestMembers where _OptionsType == RequestOptions {
    /// The default: the configuration's options.
    public var options: RequestOptions { RequestOptions() }
}

extension _RequestMembers where _BodyType == (any NetworkEncodable)? {
    /// The default: no body.
    public var body: (any NetworkEncodable)? { nil }
    public static var _bodyIsNetworkEncodable: Void { () }
}

extension _RequestMembers where _BodyType: NetworkEncodable {
    /// The request's own body.
    public var body: (any NetworkEncodable)? {
        let own: _BodyType = body
        return own
    }
    public static var _bodyIsNetworkEncodable: Void { () }
}

extension _RequestMembers where _BodyType: _OptionalBody {
    /// The request's own body, if any.
    public var body: (any NetworkEncodable)? {
        let own: _BodyType = body
        return own._encodable
    }
    public static var _bodyIsNetworkEncodable: Void { () }
}

/// An optional that wraps a body.
public protocol _OptionalBody {
    var _encodable: (any NetworkEncodable)? { get }
}

extension Optional: _OptionalBody where Wrapped: NetworkEncodable {
    public var _encodable: (any NetworkEncodable)? { self }
}

extension _RequestMembers where _EncoderType == (any NetworkEncoder)? {
    /// The default: the configuration's encoder.
    public var encoder: (any NetworkEncoder)? { nil }
    public static var _encoderIsNetworkEncoder: Void { () }
}

extension _RequestMembers where _EncoderType == (any NetworkEncoder & Sendable)? {
    /// The request's own encoder, if any.
    public var encoder: (any NetworkEncoder)? {
        let own: _EncoderType = encoder
        return own
    }
    public static var _encoderIsNetworkEncoder: Void { () }
}

extension _RequestMembers where _EncoderType == any NetworkEncoder {
    /// The request's own encoder.
    public var encoder: (any NetworkEncoder)? {
        let own: _EncoderType = encoder
        return own
    }
    public static var _encoderIsNetworkEncoder: Void { () }
}

extension _RequestMembers where _EncoderType: NetworkEncoder {
    /// The request's own encoder.
    public var encoder: (any NetworkEncoder)? {
        let own: _EncoderType = encoder
        return own
    }
    public static var _encoderIsNetworkEncoder: Void { () }
}

extension _RequestMembers where _DecoderType == (any NetworkDecoder)? {
    /// The default: the configuration's decoder.
    public var decoder: (any NetworkDecoder)? { nil }
    public static var _decoderIsNetworkDecoder: Void { () }
}

extension _RequestMembers where _DecoderType == (any NetworkDecoder & Sendable)? {
    /// The request's own decoder, if any.
    public var decoder: (any NetworkDecoder)? {
        let own: _DecoderType = decoder
        return own
    }
    public static var _decoderIsNetworkDecoder: Void { () }
}

extension _RequestMembers where _DecoderType == any NetworkDecoder {
    /// The request's own decoder.
    public var decoder: (any NetworkDecoder)? {
        let own: _DecoderType = decoder
        return own
    }
    public static var _decoderIsNetworkDecoder: Void { () }
}

extension _RequestMembers where _DecoderType: NetworkDecoder {
    /// The request's own decoder.
    public var decoder: (any NetworkDecoder)? {
        let own: _DecoderType = decoder
        return own
    }
    public static var _decoderIsNetworkDecoder: Void { () }
}

// An unavailable default is the witness only where no other fits. The compiler then reports its message at the type.

extension _RequestMembers {
    @available(
        *, unavailable,
        message: """
            a member has another type than NetworkRequest requires: baseURL is a String, method an HTTPMethod, query a \
            RequestQuery, headers are HTTPHeaders, options RequestOptions
            """
    )
    public static var _membersHaveTheTypesOfNetworkRequest: Void { () }

    @available(
        *, unavailable,
        message: "body must be NetworkEncodable: conform its type to NetworkEncodable, or wrap the value in JSONBody"
    )
    public static var _bodyIsNetworkEncodable: Void { () }

    @available(*, unavailable, message: "encoder must be a NetworkEncoder, such as a JSONEncoder")
    public static var _encoderIsNetworkEncoder: Void { () }

    @available(*, unavailable, message: "decoder must be a NetworkDecoder, such as a JSONDecoder")
    public static var _decoderIsNetworkDecoder: Void { () }
}

/// The handlers of a ``NetworkRequest`` with open types. Don't conform to it directly.
public protocol _RequestHandlers {
    associatedtype _ResponseType = NetworkResponse
    associatedtype _FailureType = NetworkError
    associatedtype _ResponseResult
    associatedtype _FailureResult

    func handleResponse(_ response: _ResponseType) -> _ResponseResult
    func handleError(_ error: _FailureType) -> _FailureResult
}

extension NetworkRequest
where
    _ResponseType == NetworkResponse, _FailureType == NetworkError, _ResponseResult == Result<ValueType, ErrorType>,
    _FailureResult == Result<ValueType, ErrorType>
{
    public static var _handlersHaveTheTypesOfNetworkRequest: Void { () }
}

extension _RequestHandlers {
    @available(
        *, unavailable,
        message: """
            handleResponse(_:) takes a NetworkResponse, handleError(_:) a NetworkError, and both return \
            Result<ValueType, ErrorType>
            """
    )
    public static var _handlersHaveTheTypesOfNetworkRequest: Void { () }
}

extension NetworkRequest {
    @available(*, unavailable, message: "declare `var path: RequestPath`; a string literal is one")
    public var path: RequestPath { "" }
}

extension Endpoint {
    @available(*, unavailable, message: "wrap the body in JSONBody, or conform its type to NetworkEncodable")
    public init<Body: Encodable & Sendable>(
        _ method: HTTPMethod = .get, baseURL: String = "", path: RequestPath, query: RequestQuery = RequestQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: Body, options: RequestOptions = RequestOptions()
    ) {
        self.init(path: "")
    }
    @available(*, unavailable, message: "pass a codec, not a closure: write JSONReader(), not { JSONReader() }")
    public init(
        _ method: HTTPMethod = .get, baseURL: String = "", path: RequestPath, query: RequestQuery = RequestQuery(),
        headers: HTTPHeaders = HTTPHeaders(), body: (any NetworkEncodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions(), encoder: (() -> any NetworkEncoder)? = nil,
        decoder: () -> any NetworkDecoder
    ) {
        self.init(path: "")
    }
}
