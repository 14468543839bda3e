import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// The default transport: a URLSession of its own.
///
/// The session has no cache, no credential storage, and no cookie storage but the one that is given: on Linux they
/// crash on cancelled tasks, replace headers and cost half of a small request. Redirects are followed here by the
/// rules of ``RedirectPolicy``, the same on every system.
public final class URLSessionTransport: NetworkTransport {
    public let session: URLSession?
    let slots: HostSlots
    private let delegate: SessionDelegate
    private let ownSession: URLSession

    /// - Parameters:
    ///   - configuration: is copied; its `protocolClasses`, proxies and additional headers are kept.
    ///   - cookies: where cookies are kept and sent from; nil takes none and leaves a `Cookie` header alone.
    ///   - attemptsPerHost: how many attempts may be under way to one host at once. The others wait in order, outside
    ///     their timeout.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, cookies: HTTPCookieStorage? = nil,
        attemptsPerHost: Int = 6
    ) {
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? configuration
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = cookies
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        delegate = SessionDelegate()
        ownSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        session = ownSession
        slots = HostSlots(limit: attemptsPerHost)
    }

    deinit {
        // Apple's sessions hold their delegate until they are invalidated.
        ownSession.finishTasksAndInvalidate()
    }

    public func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        var call = call
        if let body = call.body, body.isToBeRead { call.body = try await prepared(body, of: call) }
        var redirects: Redirects?
        var timeLeft = call.options.timeout ?? .seconds(60)
        while true {
            let response = try await attempt(call, timeLeft: &timeLeft)
            guard response.statusCode >= 300, response.statusCode < 400 else { return response }
            var followed = redirects ?? Redirects(of: call)
            guard let next = try followed.next(after: response, of: call) else { return response }
            redirects = followed
            call.recorder.add(Timeline.Event(.redirect, start: call.clock.now(), status: response.statusCode))
            call = next
        }
    }

    private func prepared(_ body: EncodedBody, of call: NetworkCall) async throws(NetworkError) -> EncodedBody {
        do throws(InvalidRequest) {
            return try await body.spooled().forURLSession()
        } catch {
            throw Task.isCancelled ? .cancelled : .invalidRequest(error.named(call.name))
        }
    }

    /// One request and its answer, redirects not followed.
    private func attempt(
        _ call: NetworkCall, timeLeft: inout Duration
    ) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw .cancelled }
        let host = call.url.hostAndPort
        let arrival = call.clock.now()
        try await slots.enter(host)
        call.record(.slot, since: arrival)
        let start = ContinuousClock.now
        defer {
            slots.leave(host)
            timeLeft -= ContinuousClock.now - start
        }
        let task = ownSession.dataTask(with: URLRequest(call))
        let attempt = Attempt(call, task: task)
        delegate.add(attempt, for: task)
        defer { delegate.remove(task) }
        let timer = AttemptTimers.shared.add(after: timeLeft) {
            let after = call.options.timeout ?? .seconds(60)
            attempt.stop(.timedOut(Timeout(limit: .attempt, after: after, host: host)))
        }
        defer { AttemptTimers.shared.remove(timer) }
        return try await attempt.run().get()
    }
}
