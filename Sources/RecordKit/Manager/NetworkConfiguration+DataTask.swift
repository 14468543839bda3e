import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkConfiguration {
    func request<Request: NetworkRequest>(
        _ request: Request, in session: URLSession?, scope: UInt64,
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
            let own = transport as? URLSessionTransport
            let plain = try prepared(call(for: request))
            let call = if let own { try own.completed(plain) } else { try plain.checked() }
            let make: GuardedDataTask.Maker
            let keepsCookies: Bool
            if let own, session == nil {
                (make, keepsCookies) = (own.maker, own.keepsCookies)
            } else if let session = session ?? transport.session {
                make = GuardedDataTask.maker(in: session)
                keepsCookies = session.configuration.httpCookieStorage != nil
            } else {
                throw call.invalid(.transport, "it has no URLSession; give one, or call `value(for:)`")
            }
            let id = tracker.makeID()
            let start = clock.now()
            // URLSession itself gives up at twenty.
            let redirects = Redirects(of: call, limit: 19, keepsCookies: keepsCookies)
            let guarded = GuardedDataTask(call, redirects: redirects, slots: own?.slots, make: make) {
                [tracker] outcome in
                tracker.remove(id)
                let outcome = outcome.flatMap(call.checkingType)
                call.recordAttempt(since: start, outcome)
                finish { read(outcome, of: call, as: request) }
            }
            let task = try guarded.makeTask()
            tracker.add(id, in: scope) { guarded.stop(.failure(.cancelled)) }
            guarded.start(task)
            return task
        } catch {
            finish { request.handleError(error) }
            return nil
        }
    }

    /// A task that is handed back at once cannot wait for a stream.
    private func prepared(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        var call = call
        do throws(InvalidRequest) {
            if case .stream = call.body?.content {
                throw InvalidRequest(
                    member: .body, reason: "a stream cannot be sent by `request(_:in:completion:)`; call `value(for:)`")
            }
            call.body = try call.body?.forURLSession()
            return call
        } catch {
            throw .invalidRequest(error.named(call.name))
        }
    }
}
