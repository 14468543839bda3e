public import Dispatch
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// What managers share: made once for an app, handed to every manager.
///
/// A value: a changed copy leaves the original as it was. Copies share the transport and the count of what is in
/// flight.
public struct NetworkConfiguration: Sendable {
    /// What relative base URLs are joined to. Nil when every request names an absolute one.
    public var environment: NetworkEnvironment?
    /// How bytes travel.
    public var transport: any NetworkTransport {
        get { route.driver.transport }
        set { route = Route(CallDriver(transport: newValue, cookies: cookies), interceptors) }
    }
    /// Where cookies are kept and sent from, such as the `httpCookieStorage` of an ephemeral configuration. `nil` keeps
    /// none. A call with a `Cookie` field of its own is sent with that alone.
    public var cookies: HTTPCookieStorage? {
        get { route.driver.cookies }
        set { route = Route(CallDriver(transport: transport, cookies: newValue), interceptors) }
    }
    /// What wraps a call, outermost first. `dataTask(for:in:completion:)` runs none of them.
    public var interceptors: [any NetworkInterceptor] {
        get { route.interceptors }
        set { route = Route(route.driver, newValue) }
    }
    /// Sent with every request. They win over the defaults (`Accept`, `Accept-Language`, `User-Agent`); the request's
    /// win over them, and so does the `Content-Type` of its body.
    public var headers: HTTPHeaders {
        get { inherited.headers }
        set { inherited = InheritedHeaders(headers: newValue, sensitiveNames: inherited.sensitiveNames) }
    }
    /// What holds for requests that say nothing else.
    public var options: RequestOptions
    /// Names of headers and query items, without regard to case, whose values are secret beside the well-known ones:
    /// never printed, never sent to another origin.
    public var sensitiveNames: Set<String> {
        get { inherited.sensitiveNames }
        set { inherited = InheritedHeaders(headers: inherited.headers, sensitiveNames: newValue) }
    }
    /// Where completions are called, except those on the main actor, such as `.main`. Nil, the default, is a global
    /// concurrent queue.
    public var completionQueue: DispatchQueue?
    /// The time that calls go by: timeouts, deadlines, waits.
    public var clock: NetworkClock
    /// Are told what happens to each call.
    public var observers: [any NetworkObserver]

    let tracker = TaskTracker()
    private(set) var inherited: InheritedHeaders
    private(set) var route: Route

    public init(
        environment: NetworkEnvironment? = nil, transport: any NetworkTransport = URLSessionTransport(),
        cookies: HTTPCookieStorage? = nil, interceptors: [any NetworkInterceptor] = [],
        headers: HTTPHeaders = HTTPHeaders(), options: RequestOptions = RequestOptions(),
        sensitiveNames: Set<String> = [], completionQueue: DispatchQueue? = nil, clock: NetworkClock = .continuous,
        observers: [any NetworkObserver] = []
    ) {
        self.environment = environment
        self.options = options
        self.completionQueue = completionQueue
        self.clock = clock
        self.observers = observers
        inherited = InheritedHeaders(headers: headers, sensitiveNames: sensitiveNames)
        route = Route(CallDriver(transport: transport, cookies: cookies), interceptors)
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
    /// What a call is sent through, put together once.
    struct Route: Sendable {
        private static let lastID = Atomic<UInt64>(0)

        let name = NetworkCall.Route(id: Route.lastID.add(1, ordering: .relaxed).newValue)
        let driver: CallDriver
        let interceptors: [any NetworkInterceptor]
        let send: NetworkCall.Next

        init(_ driver: CallDriver, _ interceptors: [any NetworkInterceptor]) {
            self.driver = driver
            self.interceptors = interceptors
            send = driver.chain(interceptors)
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

/// What every request says unless somebody says otherwise.
enum DefaultHeaders {
    static func merged(with headers: HTTPHeaders) -> HTTPHeaders {
        var merged: HTTPHeaders = ["Accept-Language": acceptLanguage, "User-Agent": userAgent]
        merged.merge(headers)
        return merged
    }

    /// The person's languages, the first with the greatest weight (RFC 9110 section 12.5.4).
    private static let acceptLanguage: String = {
        let languages = Locale.preferredLanguages.prefix(5).filter { ByteSet.token.containsAll(of: $0) }
        if languages.isEmpty { return "en" }
        return languages.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }()

    /// `Shop/1.4 (Linux) RecordKit/0.1` (RFC 9110 section 10.1.5).
    private static let userAgent: String = {
        let info = Bundle.main.infoDictionary ?? [:]
        let name = info["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName
        let version = info["CFBundleShortVersionString"] as? String ?? ""
        let app = [name, version].map(token).filter { !$0.isEmpty }.joined(separator: "/")
        return (app.isEmpty ? "" : app + " ") + "(" + system + ") RecordKit/0.1"
    }()

    private static func token(_ text: String) -> String {
        String(decoding: text.utf8.filter(ByteSet.token.contains), as: UTF8.self)
    }

    private static var system: String {
        #if os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(Linux)
        "Linux"
        #else
        "other"
        #endif
    }
}
