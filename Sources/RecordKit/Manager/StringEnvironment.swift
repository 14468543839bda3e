// A string variable for an environment. These initializers only tell what to write.

extension NetworkConfiguration {
    @available(*, unavailable, message: "a string isn't an environment: write NetworkEnvironment(string)")
    public init(
        environment: String, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions()
    ) {
        self.init()
    }
}

extension NetworkSession {
    @available(*, unavailable, message: "a string isn't an environment: write NetworkEnvironment(string)")
    public convenience init(
        environment: String, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions()
    ) {
        self.init()
    }
}
