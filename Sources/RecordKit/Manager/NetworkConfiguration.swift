public import Dispatch
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The settings that managers share. An app creates them once, and passes them to every manager.
///
/// A configuration is a value: changing a copy doesn't change the original. Copies share the transport, and count their
/// calls in flight together.
public struct NetworkConfiguration: Sendable {
    /// The environment that relative base URLs are joined to. `nil` requires absolute ones.
    public var environment: NetworkEnvironment?
    /// The transport that sends calls.
    public var transport: any NetworkTransport {
        get { route.driver.transport }
        set { route = Route(CallDriver(transport: newValue, cookies: cookies), interceptors) }
    }
    /// The storage for cookies, such as the `httpCookieStorage` of an ephemeral configuration. `nil` keeps no cookies.
    ///
    /// A call that has its own `Cookie` field is sent with only that field.
    public var cookies: HTTPCookieStorage? {
        get { route.driver.cookies }
        set { route = Route(CallDriver(transport: transport, cookies: newValue), interceptors) }
    }
    /// The interceptors of calls, outermost first. `dataTask(for:in:completion:)` runs none of them.
    public var interceptors: [any NetworkInterceptor] {
        get { route.interceptors }
        set { route = Route(route.driver, newValue) }
    }
    /// The header fields of every request.
    ///
    /// They take precedence over the defaults (`Accept`, `Accept-Language`, `User-Agent`). The fields of a request and
    /// the `Content-Type` of its body take precedence over them.
    public var headers: HTTPHeaders {
        get { inherited.headers }
        set { inherited = InheritedHeaders(headers: newValue, sensitiveNames: inherited.sensitiveNames) }
    }
    /// The options of requests that don't set their own.
    public var options: RequestOptions
    /// The names of additional sensitive header fields and query items. Case doesn't matter.
    ///
    /// Their values are never printed, and never sent to another origin. Well-known names are always sensitive.
    public var sensitiveNames: Set<String> {
        get { inherited.sensitiveNames }
        set { inherited = InheritedHeaders(headers: inherited.headers, sensitiveNames: newValue) }
    }
    /// The queue that completions are called on, such as `.main`. `nil`, the default, uses a global concurrent queue.
    ///
    /// Completions on the main actor don't use this queue.
    public var completionQueue: DispatchQueue?
    /// The clock for timeouts, deadlines and waits.
    public var clock: NetworkClock
    /// The observers of each call's events.
    public var observers: [any NetworkObserver]

    let tracker = TaskTracker()
    /// The manager whose calls these are. 0 for none.
    var scope: UInt64 = 0
    private(set) var inherited: InheritedHeaders
    private(set) var route: Route

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - environment: The environment that relative base URLs are joined to.
    ///   - transport: The transport that sends calls.
    ///   - cookies: The storage for cookies.
    ///   - interceptors: The interceptors of calls, outermost first.
    ///   - headers: The header fields of every request.
    ///   - options: The options of requests that don't set their own.
    ///   - sensitiveNames: The names of additional sensitive header fields and query items.
    ///   - completionQueue: The queue that completions are called on.
    ///   - clock: The clock for timeouts, deadlines and waits.
    ///   - observers: The observers of each call's events.
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

    /// A configuration with the default transport, without an environment and without interceptors.
    public static let `default` = NetworkConfiguration()

    /// The number of calls and data tasks in flight, in this configuration, its copies and their managers.
    public var inFlight: Int { tracker.count(in: nil) }

    /// Cancels all calls and data tasks in flight.
    public func cancelAll() {
        tracker.cancelAll(in: nil)
    }
}

extension NetworkConfiguration {
    /// The driver and the interceptors of calls, combined once.
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

    /// The header fields that requests inherit, merged once.
    struct InheritedHeaders: Sendable {
        let headers: HTTPHeaders
        let sensitiveNames: Set<String>
        /// The header fields, merged with the defaults.
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

/// The default header fields of requests.
enum DefaultHeaders {
    static func merged(with headers: HTTPHeaders) -> HTTPHeaders {
        var merged: HTTPHeaders = ["Accept-Language": acceptLanguage, "User-Agent": userAgent]
        merged.merge(headers)
        return merged
    }

    /// The user's preferred languages, with descending weights (RFC 9110 section 12.5.4).
    private static let acceptLanguage: String = {
        let languages = Locale.preferredLanguages.prefix(5).filter { ByteSet.token.containsAll(of: $0) }
        if languages.isEmpty { return "en" }
        return languages.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }()

    /// The app, the system and the library, such as `Shop/1.4 (Linux) RecordKit/0.1` (RFC 9110 section 10.1.5).
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
