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
        let finish: @Sendable (@escaping @Sendable () -> Request.ResultType) -> Void = { [completionQueue] read in
            // Reading may be slow, and a session has one queue for all its callbacks.
            DispatchQueue.global().async {
                let result = read()
                guard let completionQueue else { return completion(result) }
                completionQueue.async { completion(result) }
            }
        }
        do throws(NetworkError) {
            let call = try prepared(call(for: request))
            guard let session = session ?? transport.session else {
                throw .invalidRequest(
                    InvalidRequest(
                        request: call.name, member: .environment,
                        reason: "the configuration's transport has no URLSession; give one, or call `value(for:)`"))
            }
            let id = tracker.makeID()
            let tracker = tracker
            let start = clock.now()
            let guarded = GuardedDataTask(call, slots: (transport as? URLSessionTransport)?.slots) { outcome in
                tracker.remove(id)
                let outcome = outcome.flatMap(call.checkingType)
                call.recordAttempt(since: start, outcome)
                finish { read(outcome, of: call, as: request) }
            }
            let task = guarded.makeTask(in: session)
            tracker.add(id, in: scope) { guarded.stop(task, .cancelled) }
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
                    member: .body, reason: "a stream cannot be sent by `request(_:completion:)`; call `value(for:)`")
            }
            call.body = try call.body?.forURLSession()
            return call
        } catch {
            throw .invalidRequest(error.named(call.name))
        }
    }
}
