import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A data task that is handed back to the caller, under the same rules as ``URLSessionTransport/send(_:)``: redirects
/// stripped of secrets, challenges that cannot hang, timeouts, slots, a size limit; exactly one outcome.
///
/// In the transport's own session the session's delegate feeds it. In a session of the caller's it has a completion
/// handler, and is the delegate of its task, which is how redirects and challenges are met there.
final class GuardedDataTask: NSObject, SessionTask {
    typealias Outcome = Result<NetworkResponse, NetworkError>

    fileprivate struct State {
        var call: NetworkCall
        var task: URLSessionDataTask?
        var redirects: Redirects
        var partial = PartialResponse()
        var completion: (@Sendable (Outcome) -> Void)?
        var refusal: NetworkError?
        var slot = Slot.none
        var timers: [UInt64] = []
    }

    fileprivate enum Slot {
        case none, waiting(UInt64), held
    }

    private let origin: String
    private let slots: HostSlots?
    private let state: Mutex<State>

    /// - Parameter completion: called once, on some queue of the session's or a timer's.
    init(_ call: NetworkCall, slots: HostSlots?, completion: @escaping @Sendable (Outcome) -> Void) {
        self.slots = slots
        origin = call.url.origin
        state = Mutex(State(call: call, redirects: Redirects(of: call, limit: 19), completion: completion))
    }

    /// Starts the task as soon as its host has a slot free.
    func start(_ task: URLSessionDataTask) {
        let options = state.withLock { state in
            if state.completion != nil { state.task = task }
            return state.completion == nil ? nil : state.call.options
        }
        guard let options else { return SessionTasks.cancel(task) }
        if let deadline = options.deadline { setTimer(after: deadline, .deadline) }
        guard let slots else { return resume(task) }
        guard let waiting = slots.wait(origin, start: { self.resume(task) }) else { return }
        let isOver = state.withLock { state in
            if case .none = state.slot { state.slot = .waiting(waiting) }
            return state.completion == nil
        }
        if isOver { _ = slots.cancel(origin, waiting) }
    }

    /// Ends the call at once, and its task soon after.
    func stop(_ outcome: Outcome) {
        if let task = finish(outcome) { SessionTasks.cancel(task) }
    }

    private func resume(_ task: URLSessionDataTask) {
        let timeout = state.withLock { state in
            if state.completion != nil { state.slot = .held }
            return state.completion == nil ? nil : state.call.timeout
        }
        if let timeout {
            setTimer(after: timeout, .attempt)
            task.resume()
        } else {
            slots?.leave(origin)
        }
    }

    private func setTimer(after time: Duration, _ limit: Timeout.Limit) {
        let timer = AttemptTimers.shared.add(after: time) { [weak self] in self?.timeIsUp(time, limit) }
        let isOver = state.withLock { state in
            state.timers.append(timer)
            return state.completion == nil
        }
        if isOver { AttemptTimers.shared.remove(timer) }
    }

    private func timeIsUp(_ time: Duration, _ limit: Timeout.Limit) {
        let (host, hasStarted) = state.withLock { state in
            if case .waiting = state.slot { return (state.call.url.hostAndPort, false) }
            return (state.call.url.hostAndPort, true)
        }
        stop(.failure(.timedOut(Timeout(limit: limit, after: time, host: host, mayHaveReachedServer: hasStarted))))
    }

    /// Returns the task of a call that had not ended before.
    @discardableResult
    private func finish(_ outcome: Outcome) -> URLSessionDataTask? {
        let (completion, task, slot, timers) = state.withLock { state in
            defer {
                state.slot = .none
                state.timers = []
            }
            return (state.completion.take(), state.task.take(), state.slot, state.timers)
        }
        guard let completion else { return nil }
        for timer in timers { AttemptTimers.shared.remove(timer) }
        switch slot {
        case .held: slots?.leave(origin)
        case .waiting(let id): _ = slots?.cancel(origin, id)
        case .none: break
        }
        completion(outcome)
        return task
    }

    func didReceive(_ head: HTTPURLResponse) {
        if let outcome = state.withLock({ $0.partial.receive(head, of: $0.call) }) { stop(outcome) }
    }

    func didReceive(_ data: Data) {
        let outcome = state.withLock { state in
            // What still comes after the end is not kept.
            state.completion == nil ? nil : state.partial.receive(data, of: state.call)
        }
        if let outcome { stop(outcome) }
    }

    func didReceiveChallenge(_ head: HTTPURLResponse) {
        state.withLock { $0.partial.receiveChallenge(head) }
    }

    func didRefuseServer(_ error: NetworkError) {
        stop(.failure(error))
    }

    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void) {
        state.withLock { state in
            // Whoever holds the task may have cancelled it himself.
            guard let task = state.task, task.state == .running else { return }
            completionHandler(state.follow(response))
        }
    }

    func didComplete(_ head: HTTPURLResponse?, _ error: (any Error)?) {
        finish(
            state.withLock { state in
                if let refusal = state.refusal { return .failure(refusal) }
                let wasRedirected = state.redirects.count > 0
                let outcome = state.partial.outcome(head, error, of: state.call, wasRedirected: wasRedirected)
                guard let response = try? outcome.get() else { return outcome }
                // A redirect that URLSession could not read, and did not ask about.
                do throws(NetworkError) {
                    _ = try state.redirects.next(after: response, of: state.call)
                    return outcome
                } catch {
                    return .failure(error)
                }
            })
    }
}

extension GuardedDataTask.State {
    /// What follows a redirect; nil when that is the answer, or is refused.
    fileprivate mutating func follow(_ response: HTTPURLResponse) -> URLRequest? {
        let answer = NetworkResponse(response, body: Data(), of: call)
        do throws(NetworkError) {
            guard let next = try redirects.next(after: answer, of: call) else { return nil }
            // Linux's URLSession would send an empty one.
            if next.body != nil { throw redirects.refusal(.bodyCannotBeSentAgain, answer, next.url) }
            call = next
            return URLRequest(next)
        } catch {
            refusal = error
            return nil
        }
    }
}
