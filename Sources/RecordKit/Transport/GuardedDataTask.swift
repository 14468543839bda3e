import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A data task with a completion handler, in any session, under the same rules as ``URLSessionTransport``: redirects
/// stripped of secrets, challenges that cannot hang, timeouts, slots, a size limit; exactly one outcome.
///
/// It is the delegate of its task, which is how redirects and challenges are met in a session of the caller's.
final class GuardedDataTask: NSObject, URLSessionTaskDelegate, Sendable {
    typealias Outcome = Result<NetworkResponse, NetworkError>

    private struct State {
        var call: NetworkCall
        var redirects: Redirects
        var completion: (@Sendable (Outcome) -> Void)?
        var refusal: NetworkError?
        var challenge: HTTPURLResponse?
        var slot = Slot.none
        var timers: [UInt64] = []
    }

    private enum Slot {
        case none, waiting(UInt64), held
    }

    private let host: String
    private let slots: HostSlots?
    private let state: Mutex<State>

    /// - Parameter completion: called once, on some queue of the session's or a timer's.
    init(_ call: NetworkCall, slots: HostSlots?, completion: @escaping @Sendable (Outcome) -> Void) {
        host = call.url.hostAndPort
        self.slots = slots
        state = Mutex(State(call: call, redirects: Redirects(of: call), completion: completion))
    }

    func makeTask(in session: URLSession) -> URLSessionDataTask {
        let call = state.withLock(\.call)
        let task = session.dataTask(with: URLRequest(call)) { data, response, error in
            self.didComplete(data, response as? HTTPURLResponse, error)
        }
        task.delegate = self
        return task
    }

    /// Starts the task as soon as its host has a slot free.
    func start(_ task: URLSessionDataTask) {
        let call = state.withLock(\.call)
        if let deadline = call.options.deadline {
            setTimer(after: deadline, .deadline, of: call, task)
        }
        guard let slots else { return resume(task, call) }
        let arrival = call.clock.now()
        let waiting = slots.wait(host) {
            call.record(.slot, since: arrival)
            self.resume(task, call)
        }
        if let waiting {
            let isOver = state.withLock { state in
                if case .none = state.slot { state.slot = .waiting(waiting) }
                return state.completion == nil
            }
            if isOver { _ = slots.cancel(host, waiting) }
        }
    }

    /// Ends the call at once, and its task soon after.
    func stop(_ task: URLSessionTask, _ error: NetworkError) {
        finish(.failure(error))
        SessionTasks.cancel(task)
    }

    private func resume(_ task: URLSessionDataTask, _ call: NetworkCall) {
        let isOver = state.withLock { state in
            if state.completion != nil { state.slot = .held }
            return state.completion == nil
        }
        if isOver {
            slots?.leave(host)
        } else {
            setTimer(after: call.options.timeout ?? .seconds(60), .attempt, of: call, task)
            task.resume()
        }
    }

    private func setTimer(after time: Duration, _ limit: Timeout.Limit, of call: NetworkCall, _ task: URLSessionTask) {
        let timeout = Timeout(limit: limit, after: time, host: host)
        let timer = AttemptTimers.shared.add(after: time) { [weak self] in self?.stop(task, .timedOut(timeout)) }
        let isOver = state.withLock { state in
            state.timers.append(timer)
            return state.completion == nil
        }
        if isOver { AttemptTimers.shared.remove(timer) }
    }

    private func didComplete(_ data: Data?, _ response: HTTPURLResponse?, _ error: (any Error)?) {
        let (call, refusal, challenge) = state.withLock { ($0.call, $0.refusal, $0.challenge) }
        let limit = call.options.sizeLimit ?? .max
        let outcome: Outcome =
            switch (refusal, response, error) {
            case (let refusal?, _, _): .failure(refusal)
            case (nil, let response?, nil):
                if let data, data.count > limit {
                    .failure(.tooLarge(TooLarge(limit: limit, host: call.url.hostAndPort)))
                } else {
                    .success(NetworkResponse(response, body: data ?? Data(), of: call))
                }
            case (nil, _, let error?):
                if let challenge, (error as? URLError)?.code == .cancelled {
                    .success(NetworkResponse(challenge, body: data ?? Data(), of: call))
                } else {
                    .failure(NetworkError(error, of: call, hasResponse: response != nil))
                }
            case (nil, nil, nil): .failure(.badResponse(BadResponse(host: call.url.hostAndPort)))
            }
        finish(outcome)
    }

    private func finish(_ outcome: Outcome) {
        let (completion, slot, timers) = state.withLock { state in
            defer {
                state.slot = .none
                state.timers = []
            }
            return (state.completion.take(), state.slot, state.timers)
        }
        guard let completion else { return }
        for timer in timers { AttemptTimers.shared.remove(timer) }
        switch slot {
        case .held: slots?.leave(host)
        case .waiting(let id): _ = slots?.cancel(host, id)
        case .none: break
        }
        completion(outcome)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let next: URLRequest? = state.withLock { state in
            do throws(NetworkError) {
                let answer = NetworkResponse(response, body: Data(), of: state.call)
                guard let next = try state.redirects.next(after: answer, of: state.call) else { return nil }
                if next.body != nil {
                    // Linux's URLSession sends an empty one in its place.
                    throw .redirectRefused(
                        RedirectRefusal(
                            reason: .bodyCannotBeSentAgain, response: answer,
                            location: next.url.redacted(next.headers.secretNames)))
                }
                state.call = next
                return URLRequest(next)
            } catch {
                state.refusal = error
                return nil
            }
        }
        completionHandler(next)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(state.withLock(\.call).body?.makeStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // Linux's default handling of a Basic challenge never ends.
        if let response = challenge.failureResponse as? HTTPURLResponse {
            state.withLock { $0.challenge = response }
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }
}
