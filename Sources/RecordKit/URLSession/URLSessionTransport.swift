#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The default transport, based on its own URLSession.
///
/// The session has no cache, no credential storage and no cookie storage. On Linux (Swift 6.3.1), these crash on
/// cancelled tasks, replace header fields and take half the time of a small request. ``NetworkConfiguration/cookies``
/// keeps cookies on every platform.
public final class URLSessionTransport: DataTaskTransport {
    private let slots: HostSlots
    private let delegate: SessionDelegate
    private let urlSession: URLSession
    /// The reason why the transport can't send calls as configured. `nil` if it can.
    private let invalidReason: String?

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied. Its `protocolClasses` and, on Apple
    ///     platforms, its proxies are used. Its timeouts aren't: ``RequestOptions`` contains them. If it has
    ///     `httpAdditionalHeaders`, every call fails: set ``NetworkConfiguration/headers`` instead. On Linux, every
    ///     call fails if it has proxies.
    ///   - tls: The pins and client certificates, on Apple platforms. `nil` uses the system's rules.
    ///   - exchangesPerHost: The number of exchanges that may run at once for each scheme, host and port. The others
    ///     wait in order, outside their timeout. The session opens the same number of connections, unless its
    ///     configuration sets another number. Exchanges above that number wait for a connection within their timeout.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, tls: (any TLSPolicy)? = nil, exchangesPerHost: Int = 6
    ) {
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? configuration
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // Linux's URLSession (Swift 6.3.1) looks for cookies in each header field, even without a storage.
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // An exchange that waits in the session waits within its timeout.
        let connections = configuration.httpMaximumConnectionsPerHost
        if connections == URLSessionConfiguration.ephemeral.httpMaximumConnectionsPerHost {
            configuration.httpMaximumConnectionsPerHost = max(connections, exchangesPerHost)
        }
        configuration.timeoutIntervalForResource = Duration.seconds(366 * 86_400).timeInterval
        invalidReason = Self.invalidReason(tls, configuration)
        delegate = SessionDelegate(tls: tls)
        #if canImport(FoundationNetworking)
        let queue: OperationQueue? = DelegateQueue()
        #else
        let queue: OperationQueue? = nil
        #endif
        urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        slots = HostSlots(limit: exchangesPerHost)
    }

    deinit {
        // Apple's URLSession retains its delegate until it is invalidated.
        urlSession.finishTasksAndInvalidate()
    }

    /// The limit on concurrent exchanges per host, and this transport for data tasks.
    public var traits: TransportTraits { TransportTraits(slots: slots, dataTasks: self) }

    /// Performs one exchange as a data task of the session.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if case .pieces = call.body?.content { return try await perform(reading(call)).get() }
        return try await perform(call).get()
    }

    private func perform(_ call: NetworkCall) async -> NetworkCall.Outcome {
        let exchange = SessionExchange(call)
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if exchange.begin({ continuation.resume(returning: $0) }) { exchange.start(maker) }
            }
        } onCancel: {
            exchange.stop(.cancelled)
        }
    }

    /// Returns the call with its body in a form that URLSession can send.
    private func reading(_ call: NetworkCall) async throws(NetworkError) -> NetworkCall {
        var call = call
        call.body = try await call.body?.spooled().forURLSession()
        return call
    }

    /// Creates tasks whose callbacks reach the session's delegate.
    var maker: SessionExchange.Maker {
        { exchange, call throws(NetworkError) in
            if let invalidReason = self.invalidReason { throw call.invalid(.transport, invalidReason) }
            let task = self.urlSession.dataTask(with: URLRequest(call))
            self.delegate.add(exchange, for: task)
            return task
        }
    }

    /// Returns the setting that URLSession would silently ignore or misuse, or `nil` if there is none.
    private static func invalidReason(_ tls: (any TLSPolicy)?, _ configuration: URLSessionConfiguration) -> String? {
        if configuration.httpAdditionalHeaders?.isEmpty == false {
            return
                "`httpAdditionalHeaders` would be sent to every origin that a redirect leads to; remove them, and "
                + "set `headers` of the NetworkConfiguration"
        }
        #if !canImport(Security)
        if tls != nil {
            return "URLSession supports neither pins nor client certificates on this system; remove `tls`, or use a "
                + "transport that supports them"
        }
        if configuration.connectionProxyDictionary?.isEmpty == false {
            return
                "URLSession does not support `connectionProxyDictionary` on this system; remove it, and set "
                + "the environment variables `http_proxy` and `https_proxy`"
        }
        #endif
        return nil
    }
}

extension URLSessionTransport: SelfDescribing {
    var text: String { "URLSessionTransport" }

    /// No members: the session's configuration may contain credentials.
    var shown: [(name: String, value: Any)] { [] }
}
