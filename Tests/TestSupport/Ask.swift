public import RecordKit

/// A request with any members, whose response is read as `Value`.
public struct Ask<Value: Sendable & NetworkValue>: NetworkRequest {
    public typealias ValueType = Value
    public typealias ErrorType = NetworkError

    public var baseURL: String
    public var path: RequestPath
    public var method: HTTPMethod
    public var query: RequestQuery
    public var headers: HTTPHeaders
    public var content: (any NetworkEncodable & Sendable)?
    public var options: RequestOptions

    public var body: (any NetworkEncodable)? { content }

    public init(
        baseURL: String = "", path: RequestPath = "ask", method: HTTPMethod = .get, query: RequestQuery = [:],
        headers: HTTPHeaders = [:], content: (any NetworkEncodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions()
    ) {
        self.baseURL = baseURL
        self.path = path
        self.method = method
        self.query = query
        self.headers = headers
        self.content = content
        self.options = options
    }
}
