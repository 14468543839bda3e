#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The default transport: a URLSession of its own, which nobody else has.
///
/// The session has no cache, no credential storage, and no cookie storage but the one that is given: on Linux they
/// crash on cancelled tasks, replace headers and cost half of a small request. Redirects are followed here by the
/// rules of ``RedirectPolicy``, the same on every system.
public final class URLSessionTransport: NetworkTransport {
    let slots: HostSlots
    let keepsCookies: Bool
    private let delegate: SessionDelegate
    private let urlSession: URLSession
    private let additionalHeaders: HTTPHeaders
    /// Why no call can be sent as the app wants it to be, on this system; nil when all can.
    private let problem: String?

    /// - Parameters:
    ///   - configuration: is copied; its `protocolClasses` and, on Apple's systems, its proxies are kept, its additional
    ///     headers are sent with every call that has none of that name. Every call of a manager has `Accept`,
    ///     `Accept-Language` and `User-Agent`; ``NetworkConfiguration/headers`` takes their place. Its timeouts are not
    ///     used: ``RequestOptions`` has them.
    ///   - cookies: where cookies are kept and sent from, such as the `httpCookieStorage` of an ephemeral configuration;
    ///     nil takes none and leaves a `Cookie` header alone.
    ///   - tls: pins and client certificates, on Apple's systems; nil leaves all to the system.
    ///   - attemptsPerHost: how many attempts may be under way to one scheme, host and port at once. The others wait in
    ///     order, outside their timeout. The session has as many connections, unless its configuration names another
    ///     number: then attempts past that number wait for one within their timeout.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, cookies: HTTPCookieStorage? = nil,
        tls: (any TLSPolicy)? = nil, attemptsPerHost: Int = 6
    ) {
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? configuration
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = cookies
        keepsCookies = cookies != nil
        // Linux looks for cookies in each header field that arrives, also when there is nowhere to put them.
        if cookies == nil { configuration.httpCookieAcceptPolicy = .never }
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // What waits in the session waits within its timeout.
        let connections = configuration.httpMaximumConnectionsPerHost
        if connections == URLSessionConfiguration.ephemeral.httpMaximumConnectionsPerHost {
            configuration.httpMaximumConnectionsPerHost = max(connections, attemptsPerHost)
        }
        configuration.timeoutIntervalForResource = Duration.seconds(366 * 86_400).timeInterval
        // The session would send them to every origin that a redirect leads to.
        additionalHeaders = HTTPHeaders(additional: configuration.httpAdditionalHeaders)
        configuration.httpAdditionalHeaders = nil
        #if canImport(Security)
        problem = nil
        #else
        problem = Self.problem(tls, proxies: configuration.connectionProxyDictionary)
        #endif
        delegate = SessionDelegate(tls: tls)
        #if canImport(FoundationNetworking)
        let queue: OperationQueue? = DelegateQueue()
        #else
        let queue: OperationQueue? = nil
        #endif
        urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        slots = HostSlots(limit: attemptsPerHost)
    }

    deinit {
        // Apple's sessions hold their delegate until they are invalidated.
        urlSession.finishTasksAndInvalidate()
    }

    public func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        var call = try completed(call)
        if call.body?.isToBeRead == true { call = try await reading(call) }
        var timeLeft = call.timeout.limited
        let response = try await attempt(call, wasRedirected: false, timeLeft: &timeLeft)
        return Redirects.isRedirect(response.statusCode) ? try await following(response, of: call, timeLeft) : response
    }

    /// The answer that redirects lead to.
    @inline(never)
    private func following(
        _ response: NetworkResponse, of call: NetworkCall, _ timeLeft: Duration
    ) async throws(NetworkError) -> NetworkResponse {
        var (response, call, timeLeft) = (response, call, timeLeft)
        var redirects = Redirects(of: call, keepsCookies: keepsCookies)
        while let next = try redirects.next(after: response, of: call) {
            call.recordRedirect(response.statusCode)
            call = next
            response = try await attempt(call, wasRedirected: true, timeLeft: &timeLeft)
        }
        response.redirects = redirects.followed
        return response
    }

    /// The call with its body read, as far as URLSession wants it.
    @inline(never)
    private func reading(_ call: NetworkCall) async throws(NetworkError) -> NetworkCall {
        do throws(InvalidRequest) {
            var call = call
            call.body = try await call.body?.spooled().forURLSession()
            return call
        } catch {
            throw call.failure(ofBody: error)
        }
    }

    /// Makes tasks that the session's delegate feeds.
    var maker: GuardedDataTask.Maker {
        { guarded, call throws(NetworkError) in try self.makeTask(for: guarded, call) }
    }

    /// The call with what the session's configuration adds.
    @inline(never)
    func completed(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        if additionalHeaders.fields.isEmpty { return try call.checked() }
        var call = call
        var headers = additionalHeaders
        headers.merge(call.headers)
        call.headers = headers
        return try call.checked()
    }

    /// One request and its answer, redirects not followed.
    private func attempt(
        _ call: NetworkCall, wasRedirected: Bool, timeLeft: inout Duration
    ) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw call.cancelledUnsent }
        let origin = call.origin
        if !slots.take(origin) {
            let arrival = call.clock.now()
            defer { call.record(.slot, since: arrival) }
            do throws(NetworkError) { try await slots.enter(origin) } catch { throw call.cancelledUnsent }
        }
        call.recorder.markSent()
        let start = ContinuousClock.now
        defer {
            slots.leave(origin)
            timeLeft -= ContinuousClock.now - start
        }
        let attempt = Attempt(call, wasRedirected: wasRedirected)
        let timer = AttemptTimers.shared.add(after: timeLeft) { attempt.stop(.failure(call.timedOut)) }
        defer { AttemptTimers.shared.remove(timer) }
        return try await attempt.run { attempt throws(NetworkError) in
            try self.makeTask(for: attempt, attempt.call)
        }.get()
    }

    private func makeTask(
        for owner: some SessionTask, _ call: NetworkCall
    ) throws(NetworkError) -> URLSessionDataTask {
        if let problem { throw call.invalid(.transport, problem) }
        let task = urlSession.dataTask(with: URLRequest(call))
        delegate.add(owner, for: task)
        return task
    }

    #if !canImport(Security)
    /// What URLSession would quietly leave out.
    private static func problem(_ tls: (any TLSPolicy)?, proxies: [AnyHashable: Any]?) -> String? {
        if tls != nil {
            return "URLSession has neither pins nor client certificates on this system; leave `tls` out, or use a "
                + "transport that has them"
        }
        if proxies?.isEmpty == false {
            return
                "URLSession takes no `connectionProxyDictionary` on this system; leave it out, and name the proxy in "
                + "the environment variables `http_proxy` and `https_proxy`"
        }
        return nil
    }
    #endif
}

extension HTTPHeaders {
    /// What a session's configuration adds to every request.
    fileprivate init(additional headers: [AnyHashable: Any]?) {
        self.init()
        for (name, value) in headers ?? [:] {
            if let name = name as? String { add(name, "\(value)") }
        }
    }
}
