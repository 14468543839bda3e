#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The default transport: a URLSession of its own.
///
/// The session has no cache, no credential storage and no cookie storage: on Linux they crash on cancelled tasks, replace
/// header fields and cost half of a small request. ``NetworkConfiguration/cookies`` keeps cookies on every system.
public final class URLSessionTransport: NetworkTransport, DataTaskTransport {
    public let slots: HostSlots?
    private let delegate: SessionDelegate
    private let urlSession: URLSession
    /// Why no call can be sent as the app wants it to be, on this system; `nil` if all can.
    private let problem: String?

    /// - Parameters:
    ///   - configuration: Is copied. Its `protocolClasses` and, on Apple's systems, its proxies are kept. Its timeouts
    ///     are not used: ``RequestOptions`` has them. With `httpAdditionalHeaders` every call is refused:
    ///     ``NetworkConfiguration/headers`` takes their place.
    ///   - tls: Pins and client certificates, on Apple's systems; `nil` leaves all to the system.
    ///   - exchangesPerHost: How many exchanges may be under way to one scheme, host and port at once. The others wait
    ///     in order, outside their timeout. The session has as many connections, unless its configuration names another
    ///     number: then exchanges past that number wait for one within their timeout.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, tls: (any TLSPolicy)? = nil, exchangesPerHost: Int = 6
    ) {
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? configuration
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // Linux looks for cookies in each header field that arrives, also when there is nowhere to put them.
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // What waits in the session waits within its timeout.
        let connections = configuration.httpMaximumConnectionsPerHost
        if connections == URLSessionConfiguration.ephemeral.httpMaximumConnectionsPerHost {
            configuration.httpMaximumConnectionsPerHost = max(connections, exchangesPerHost)
        }
        configuration.timeoutIntervalForResource = Duration.seconds(366 * 86_400).timeInterval
        problem = Self.problem(tls, configuration)
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
        // Apple's sessions hold their delegate until they are invalidated.
        urlSession.finishTasksAndInvalidate()
    }

    public var dataTasks: URLSessionTransport { self }

    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if call.body?.isToBeRead == true { return try await perform(reading(call)).get() }
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

    /// Returns the call with its body as URLSession can send it.
    private func reading(_ call: NetworkCall) async throws(NetworkError) -> NetworkCall {
        var call = call
        call.body = try await call.body?.spooled().forURLSession()
        return call
    }

    /// Makes tasks that the session's delegate feeds.
    var maker: SessionExchange.Maker {
        { exchange, call throws(NetworkError) in
            if let problem = self.problem { throw call.invalid(.transport, problem) }
            let task = self.urlSession.dataTask(with: URLRequest(call))
            self.delegate.add(exchange, for: task)
            return task
        }
    }

    /// What URLSession would leave out without a word.
    private static func problem(_ tls: (any TLSPolicy)?, _ configuration: URLSessionConfiguration) -> String? {
        if configuration.httpAdditionalHeaders?.isEmpty == false {
            return
                "`httpAdditionalHeaders` would be sent to every origin that a redirect leads to; leave them out, and "
                + "set `headers` of the NetworkConfiguration"
        }
        #if !canImport(Security)
        if tls != nil {
            return "URLSession has neither pins nor client certificates on this system; leave `tls` out, or use a "
                + "transport that has them"
        }
        if configuration.connectionProxyDictionary?.isEmpty == false {
            return
                "URLSession takes no `connectionProxyDictionary` on this system; leave it out, and name the proxy in "
                + "the environment variables `http_proxy` and `https_proxy`"
        }
        #endif
        return nil
    }
}

/// A transport that can hand out data tasks: URLSession's, and stubs built on a URLProtocol.
public protocol DataTaskTransport: NetworkTransport {
    /// What makes the data tasks.
    var dataTasks: URLSessionTransport { get }
}
