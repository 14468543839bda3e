import Dispatch

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension NetworkManager {
    /// Starts a data task and returns it.
    ///
    /// Redirects, cookies, challenges, timeouts and the size limit follow the rules of ``value(for:configure:)``. A
    /// data task can't run interceptors. So in a session that has some, there is no task, and the completion receives
    /// ``NetworkError/invalidRequest(_:)``: a request that should be signed would be sent unsigned. Use
    /// ``send(_:onProgress:configure:completion:)`` there, or pass `skippingInterceptors: true`.
    ///
    /// The returned task may be suspended until its host has a free slot. It then starts by itself. To end it, call
    /// ``cancelAll()`` or its `cancel()`. On Linux (Swift 6.3.1), a `cancel()` in the app can end the process if it
    /// coincides with another one or with a timeout. RecordKit cancels a task only once, and calls of
    /// ``value(for:configure:)`` aren't affected.
    ///
    /// A redirect that needs the body again ends with ``NetworkError/redirectRefused(_:)``. On Linux, a task that was
    /// redirected contains only the first response. The completion receives the last one.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its body is encoded before this method returns.
    ///   - session: The session of the task. `nil` uses the transport's session. Don't pass an invalidated session or a
    ///     background session: either ends the process. On Linux, it must not have a `urlCache`; see <doc:LinuxLimits>.
    ///     The whole body is received before the size limit is checked. On Apple platforms, the session's own delegate
    ///     handles challenges.
    ///   - skippingInterceptors: Whether the interceptors of the session may be skipped.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`, even if there is no task. It may
    ///     be called before this method returns, but never from within it.
    /// - Returns: The task. `nil` if the request can't be built, if the session has interceptors that aren't to be
    ///   skipped, or if no session is given and the transport has none. The completion receives the reason.
    @discardableResult
    public func dataTask(
        for request: Request, in session: URLSession? = nil, skippingInterceptors: Bool = false,
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> URLSessionDataTask? {
        guard let network = client.session else {
            send(request, completion: completion)
            return nil
        }
        @Sendable func finish(_ read: @escaping @Sendable () -> Request.ResultType) {
            // Reading may be slow, and a session has one queue for all its callbacks.
            DispatchQueue.global().async {
                let result = read()
                guard let queue = network.configuration.completionQueue else { return completion(result) }
                queue.async { completion(result) }
            }
        }
        do throws(NetworkError) {
            let beginning = network.configuration.clock.now()
            let call = try network.call(for: request).preparedForDataTask().checked()
            if !skippingInterceptors { try call.checkInterceptors(network.configuration.interceptors) }
            let transport = network.configuration.transport
            let own = session == nil ? transport.traits.dataTasks as? URLSessionTransport : nil
            guard let make = own?.maker ?? session.map({ SessionExchange.maker(in: $0) }) else {
                throw call.invalid(
                    .transport, "it has no URLSession; pass one, or call `send(_:onProgress:configure:completion:)`")
            }
            call.report(.built, since: beginning)
            let start = call.clock.now()
            let cookies = own == nil ? nil : network.configuration.cookies
            let transfer = state.track(in: scope)
            let driver = DataTaskDriver(
                call, transfer, slots: (own ?? transport).traits.slots, cookies: cookies,
                keepsCookies: own == nil ? session?.configuration.httpCookieStorage != nil : cookies != nil, make: make
            ) { outcome in
                call.reportAttempt(since: start, outcome)
                finish { network.read(outcome, of: call, as: request).result }
            }
            do throws(NetworkError) {
                return try driver.start()
            } catch {
                transfer.stop(error)
                return nil
            }
        } catch {
            finish { request.handleError(error) }
            return nil
        }
    }
}

extension NetworkCall {
    /// Checks that there are no interceptors, which a data task doesn't run.
    fileprivate func checkInterceptors(_ interceptors: [any NetworkInterceptor]) throws(NetworkError) {
        if interceptors.isEmpty { return }
        let names = interceptors.map { "\(type(of: $0))" }.joined(separator: ", ")
        throw invalid(
            .interceptors,
            "a data task would not run \(names); call `send(_:onProgress:configure:completion:)`, or pass "
                + "`skippingInterceptors: true` to send the request without them")
    }

    /// Returns the call with its body in a form that URLSession can send. Rejects a stream, since the task is returned
    /// immediately.
    fileprivate func preparedForDataTask() throws(NetworkError) -> NetworkCall {
        if let body, body.length == nil {
            throw invalid(
                .body,
                "a stream cannot be sent by `dataTask(for:in:skippingInterceptors:completion:)`; call "
                    + "`send(_:onProgress:configure:completion:)`")
        }
        var call = self
        do throws(NetworkError) {
            call.body = try body?.forURLSession()
        } catch {
            throw named(error)
        }
        return call
    }
}
