public import Dispatch

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The settings of a ``NetworkSession``: a value that sends nothing itself.
///
/// `print`, `dump` and the debugger redact sensitive values, by name and by ``sensitiveNames``.
public struct NetworkConfiguration: Sendable {
    /// The environment that relative base URLs are joined to. `nil` requires absolute ones.
    public var environment: NetworkEnvironment?
    /// The transport that sends calls.
    public var transport: any NetworkTransport
    /// The storage for cookies, such as the `httpCookieStorage` of an ephemeral configuration. `nil` keeps no cookies.
    ///
    /// A call that has its own `Cookie` field is sent with only that field.
    public var cookies: HTTPCookieStorage?
    /// The interceptors of calls, outermost first. Those that sign run after those that change calls, wherever they
    /// stand: see ``NetworkInterceptorRole``.
    ///
    /// Data tasks can't run them: see `dataTask(for:in:skippingInterceptors:completion:)`.
    public var interceptors: [any NetworkInterceptor]
    /// The header fields of every request.
    ///
    /// They take precedence over the defaults (`Accept`, `Accept-Language`, `User-Agent`). The fields of a request and
    /// the `Content-Type` of its body take precedence over them.
    public var headers: HTTPHeaders
    /// The options of requests that don't set their own.
    public var options: RequestOptions
    /// The encoder of requests that have none of their own. `nil`, the default, is a `JSONEncoder`.
    public var encoder: (any NetworkEncoder & Sendable)?
    /// The decoder of requests that have none of their own. `nil`, the default, is a `JSONDecoder`.
    ///
    /// ```swift
    /// configuration.decoder = JSONReader()
    /// ```
    ///
    /// Responses carry it as ``NetworkResponse/decoder``, so that errors are read with it, too.
    public var decoder: (any NetworkDecoder & Sendable)?
    /// The names of additional sensitive header fields, query items and fields of bodies. Names that end with the words
    /// of one are sensitive, too: `till` includes `X-Till`. Case and word separators don't matter.
    ///
    /// Their values are never printed, and never sent to another origin. Well-known names are always sensitive.
    public var sensitiveNames: Set<String>
    /// The queue that completions are called on, such as `.main`. `nil`, the default, uses a global concurrent queue.
    ///
    /// Completions on the main actor don't use this queue.
    public var completionQueue: DispatchQueue?
    /// The clock for timeouts, deadlines and waits.
    public var clock: NetworkClock
    /// The observers of each call's events.
    public var observers: [any NetworkObserver]

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - environment: The environment that relative base URLs are joined to.
    ///   - transport: The transport that sends calls.
    ///   - cookies: The storage for cookies.
    ///   - interceptors: The interceptors of calls, outermost first.
    ///   - headers: The header fields of every request.
    ///   - options: The options of requests that don't set their own.
    ///   - encoder: The encoder of requests that have none of their own.
    ///   - decoder: The decoder of requests that have none of their own.
    ///   - sensitiveNames: The names of additional sensitive header fields and query items.
    ///   - completionQueue: The queue that completions are called on.
    ///   - clock: The clock for timeouts, deadlines and waits.
    ///   - observers: The observers of each call's events.
    public init(
        environment: NetworkEnvironment? = nil, transport: any NetworkTransport = URLSessionTransport(),
        cookies: HTTPCookieStorage? = nil, interceptors: [any NetworkInterceptor] = [],
        headers: HTTPHeaders = HTTPHeaders(), options: RequestOptions = RequestOptions(),
        encoder: (any NetworkEncoder & Sendable)? = nil, decoder: (any NetworkDecoder & Sendable)? = nil,
        sensitiveNames: Set<String> = [], completionQueue: DispatchQueue? = nil, clock: NetworkClock = .continuous,
        observers: [any NetworkObserver] = []
    ) {
        self.environment = environment
        self.transport = transport
        self.cookies = cookies
        self.interceptors = interceptors
        self.headers = headers
        self.options = options
        self.encoder = encoder
        self.decoder = decoder
        self.sensitiveNames = sensitiveNames
        self.completionQueue = completionQueue
        self.clock = clock
        self.observers = observers
    }

    /// The version of the library, such as `0.1.0`. The default `User-Agent` contains it.
    public static let libraryVersion = "0.1.0"

    /// The header fields, with ``sensitiveNames`` marked as sensitive.
    var markedHeaders: HTTPHeaders {
        var headers = headers
        headers.markSensitive(sensitiveNames)
        return headers
    }
}

extension NetworkConfiguration: SelfDescribing {
    /// The environment and the type of the transport.
    var text: String {
        "\(environment.map { "\($0)" } ?? "no environment"), over \(type(of: transport))"
    }

    /// The settings, with sensitive values redacted. Of transports, interceptors and observers, only the types.
    var shown: [(name: String, value: Any)] {
        [
            ("environment", environment as Any), ("transport", "\(type(of: transport))"),
            ("keepsCookies", cookies != nil), ("interceptors", interceptors.map { "\(type(of: $0))" }),
            ("headers", markedHeaders), ("options", options), ("sensitiveNames", sensitiveNames.sorted()),
            ("observers", observers.map { "\(type(of: $0))" }),
        ]
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
    private static let acceptLanguage = acceptLanguage(of: Locale.preferredLanguages)

    static func acceptLanguage(of preferred: [String]) -> String {
        let languages = preferred.prefix(5).filter { ByteSet.token.containsAll(of: $0) }
        // Foundation's language in the C locale, where none is set. Servers rarely support it.
        if languages.isEmpty || languages == ["en-001"] { return "en" }
        return languages.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }

    /// The app, the system and the library, such as `Shop/1.4 (Linux) RecordKit/0.1.0` (RFC 9110 section 10.1.5).
    private static let userAgent: String = {
        let info = Bundle.main.infoDictionary ?? [:]
        let name = info["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName
        let version = info["CFBundleShortVersionString"] as? String ?? ""
        let app = [name, version].map(token).filter { !$0.isEmpty }.joined(separator: "/")
        return (app.isEmpty ? "" : app + " ") + "(" + system + ") RecordKit/" + NetworkConfiguration.libraryVersion
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
        #else
        "Linux"
        #endif
    }
}
