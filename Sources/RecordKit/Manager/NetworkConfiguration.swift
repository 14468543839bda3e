public import Dispatch

/// What managers share: made once for an app, handed to every manager.
///
/// A value: a changed copy leaves the original as it was. Copies share the transport and the count of what is in
/// flight.
public struct NetworkConfiguration: Sendable {
    /// What relative base URLs are joined to. Nil when every request names an absolute one.
    public var environment: NetworkEnvironment?
    /// How bytes travel.
    public var transport: any NetworkTransport {
        get { way.transport }
        set { way = Way(transport: newValue, interceptors: way.interceptors) }
    }
    /// What wraps a call, outermost first. `request(_:in:completion:)` runs none of them.
    public var interceptors: [any NetworkInterceptor] {
        get { way.interceptors }
        set { way = Way(transport: way.transport, interceptors: newValue) }
    }
    /// Sent with every request. They win over the defaults (`Accept`, `Accept-Language`, `User-Agent`); the request's
    /// win over them, and so does the `Content-Type` of its body.
    public var headers: HTTPHeaders {
        get { inherited.headers }
        set { inherited = InheritedHeaders(headers: newValue, sensitiveNames: inherited.sensitiveNames) }
    }
    /// What holds for requests that say nothing else.
    public var options: RequestOptions
    /// The names of headers, query items and body fields that are sensitive besides the well-known ones. Their values are
    /// redacted where they are printed, and such headers are not sent to another origin by a redirect. Case and the
    /// separators of words do not count.
    public var sensitiveNames: Set<String> {
        get { inherited.sensitiveNames }
        set { inherited = InheritedHeaders(headers: inherited.headers, sensitiveNames: newValue) }
    }
    /// Where the completions of `request(_:in:completion:)` are called, such as `.main`. Nil, the default, is a global
    /// concurrent queue.
    public var completionQueue: DispatchQueue?
    /// The time that whole calls live by. The timeouts of attempts, and all that a data task does, go by the machine's.
    public var clock: NetworkClock
    /// Is told the story of each call when it is over, on both ways to run, before the value or the error is handed
    /// over, on whichever thread it ends. A request that could not be built became no call, and has none; nor has one
    /// that `request(_:in:completion:)` could make no task for.
    public var onTimeline: (@Sendable (Timeline) -> Void)?

    let tracker = TaskTracker()
    private(set) var inherited: InheritedHeaders
    private(set) var way: Way

    public init(
        environment: NetworkEnvironment? = nil, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions(), sensitiveNames: Set<String> = [],
        completionQueue: DispatchQueue? = nil, clock: NetworkClock = .continuous,
        onTimeline: (@Sendable (Timeline) -> Void)? = nil
    ) {
        self.environment = environment
        self.options = options
        self.completionQueue = completionQueue
        self.clock = clock
        self.onTimeline = onTimeline
        inherited = InheritedHeaders(headers: headers, sensitiveNames: sensitiveNames)
        way = Way(transport: transport, interceptors: interceptors)
    }

    /// No environment, the default transport, no interceptors.
    public static let `default` = NetworkConfiguration()

    /// How many calls and data tasks are under way in everything made from this configuration and its copies.
    public var inFlight: Int { tracker.count(in: nil) }

    /// Cancels all of them.
    public func cancelAll() {
        tracker.cancelAll(in: nil)
    }
}

extension NetworkConfiguration {
    /// The way of a call, put together once. By reference, so that two of them can be told apart.
    final class Way: Sendable {
        let transport: any NetworkTransport
        let interceptors: [any NetworkInterceptor]
        /// Sends a call through the interceptors.
        let send: NetworkCall.Next

        init(transport: any NetworkTransport, interceptors: [any NetworkInterceptor]) {
            self.transport = transport
            self.interceptors = interceptors
            send = transport.chain(interceptors)
        }
    }

    /// The headers that a request does not name, put together once.
    struct InheritedHeaders: Sendable {
        let headers: HTTPHeaders
        let sensitiveNames: Set<String>
        /// With the defaults.
        let all: HTTPHeaders

        init(headers: HTTPHeaders, sensitiveNames: Set<String>) {
            var headers = headers
            headers.markSensitive(sensitiveNames)
            self.headers = headers
            self.sensitiveNames = sensitiveNames
            all = DefaultHeaders.merged(with: headers)
        }
    }
}
