// What is often written first. These initializers only say what to write instead.

extension NetworkConfiguration {
    @available(*, unavailable, message: "a string isn't an environment: write NetworkEnvironment(string)")
    public init(
        environment: String, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions()
    ) {
        self.init()
    }

    @available(*, unavailable, message: "pass a codec, not a closure: write JSONReader(), not { JSONReader() }")
    public init(
        environment: NetworkEnvironment? = nil, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions(), encoder: (() -> any NetworkEncoder)? = nil,
        decoder: () -> any NetworkDecoder
    ) {
        self.init()
    }
}

extension NetworkSession {
    @available(*, unavailable, message: "a string isn't an environment: write NetworkEnvironment(string)")
    public convenience init(
        _ environment: String, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions()
    ) { self.init() }

    @available(*, unavailable, message: "a timeout is an option: write options: RequestOptions(timeout: …)")
    public convenience init(
        _ environment: NetworkEnvironment? = nil, interceptors: [any NetworkInterceptor] = [],
        headers: HTTPHeaders = HTTPHeaders(), timeout: Duration
    ) { self.init() }
}

extension NetworkEnvironment {
    @available(*, unavailable, message: "the session has the header fields: write NetworkSession(…, headers: …)")
    public init(_ baseURL: String, headers: HTTPHeaders) { self.init(baseURL) }
}
