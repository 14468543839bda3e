import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkConfiguration {
    /// Starts a data task and returns it. See ``NetworkManager/dataTask(for:in:completion:)``.
    func dataTask<Request: NetworkRequest>(
        for request: Request, in session: URLSession?,
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> URLSessionDataTask? {
        @Sendable func finish(_ read: @escaping @Sendable () -> Request.ResultType) {
            // Reading may be slow, and a session has one queue for all its callbacks.
            DispatchQueue.global().async {
                let result = read()
                guard let completionQueue else { return completion(result) }
                completionQueue.async { completion(result) }
            }
        }
        do throws(NetworkError) {
            let beginning = clock.now()
            let call = try prepared(call(for: request)).checked()
            let own = session == nil ? (transport as? any DataTaskTransport)?.dataTasks : nil
            guard let make = own?.maker ?? session.map({ SessionExchange.maker(in: $0) }) else {
                throw call.invalid(
                    .transport, "it has no URLSession; pass one, or call `send(_:onProgress:completion:)`")
            }
            call.report(.built, since: beginning)
            let start = call.clock.now()
            let transfer = tracked()
            let driver = DataTaskDriver(
                call, transfer, slots: own?.slots ?? transport.slots,
                cookies: own == nil ? nil : cookies,
                keepsCookies: own == nil ? session?.configuration.httpCookieStorage != nil : cookies != nil, make: make)
            _ = transfer.begin { outcome in
                call.reportAttempt(since: start, outcome)
                finish { read(outcome, of: call, as: request) }
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

    /// Returns the call with its body in a form that URLSession can send. Rejects a stream, since the task is returned
    /// immediately.
    private func prepared(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        if let body = call.body, body.length == nil {
            throw call.invalid(
                .body,
                "a stream cannot be sent by `dataTask(for:in:completion:)`; call `send(_:onProgress:completion:)`")
        }
        var call = call
        do throws(NetworkError) {
            call.body = try call.body?.forURLSession()
        } catch {
            throw call.named(error)
        }
        return call
    }
}
