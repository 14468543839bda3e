import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A data task that is handed back to the caller, under the same rules as ``URLSessionTransport/send(_:)``: redirects
/// stripped of sensitive headers, challenges that cannot hang, timeouts, slots, a size limit; exactly one outcome.
///
/// In the transport's own session the session's delegate feeds it. In a session of the caller's it has a completion
/// handler, and is the delegate of its task, which is how redirects and challenges are met there.
final class GuardedDataTask: NSObject, SessionTask {
    typealias Outcome = NetworkCall.Outcome
    /// Makes a task that tells this one what becomes of it; suspended.
    typealias Maker = @Sendable (GuardedDataTask, NetworkCall) throws(NetworkError) -> URLSessionDataTask

    struct State: ~Copyable {
        var call: NetworkCall
        var task: URLSessionDataTask?
        var redirects: Redirects
        var partial = PartialResponse()
        var completion: (@Sendable (Outcome) -> Void)?
        var refusal: NetworkError?
        var follower: GuardedDataTask?
        var slot = Slot.none
        var timers: [UInt64] = []
    }

    enum Slot {
        case none, waiting(HostSlots.Waiter, since: Duration), held
    }

    private let origin: String
    private let slots: HostSlots?
    let make: Maker
    let state: Mutex<State>

    /// - Parameters:
    ///   - redirects: those that led here.
    ///   - completion: called once, on some queue of the session's or a timer's.
    init(
        _ call: NetworkCall, redirects: Redirects, slots: HostSlots?, make: @escaping Maker,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.slots = slots
        self.make = make
        origin = call.origin
        state = Mutex(State(call: call, redirects: redirects, completion: completion))
    }

    /// After a redirect the one that follows it.
    var call: NetworkCall { state.withLock { $0.call } }

    func makeTask() throws(NetworkError) -> URLSessionDataTask {
        try make(self, call)
    }

    /// Starts the task as soon as its host has a slot free.
    func start(_ task: URLSessionDataTask) {
        let call = state.withLock { state in
            if state.completion != nil { state.task = task }
            return state.completion == nil ? nil : state.call
        }
        guard let call else { return SessionTasks.cancel(task) }
        if let deadline = call.options.deadline { setTimer(after: deadline, .deadline) }
        guard let slots, !slots.take(origin) else { return resume(task) }
        let arrival = call.clock.now()
        // A slot is mostly given back by a callback.
        let waiter = HostSlots.Waiter()
        waiter.begin { hasSlot in
            guard hasSlot else { return }
            SessionTasks.perform {
                call.record(.slot, since: arrival)
                self.resume(task)
            }
        }
        let isOver = state.withLock { state in
            if state.completion != nil { state.slot = .waiting(waiter, since: arrival) }
            return state.completion == nil
        }
        if !isOver { slots.wait(origin, waiter) }
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
        let (host, waiting) = state.withLock { state in
            if case .held = state.slot { return (state.call.url.hostAndPort, nil as URLSessionDataTask?) }
            return (state.call.url.hostAndPort, state.task)
        }
        // Whoever holds the task may have started it ahead of its turn.
        let isUnsent = waiting?.state == .suspended
        stop(.failure(.timedOut(Timeout(limit: limit, after: time, host: host, mayHaveReachedServer: !isUnsent))))
    }

    /// Returns the task of a call that had not ended before.
    @discardableResult
    private func finish(_ outcome: Outcome) -> URLSessionDataTask? {
        let (call, completion, task, follower, slot, timers) = state.withLock { state in
            defer {
                state.slot = .none
                state.timers = []
            }
            return (
                state.call, state.completion.take(), state.task.take(), state.follower.take(), state.slot, state.timers
            )
        }
        guard let completion else { return nil }
        follower?.stop(.failure(.cancelled))
        for timer in timers { AttemptTimers.shared.remove(timer) }
        switch slot {
        case .held: slots?.leave(origin)
        case .waiting(let waiter, let arrival):
            if waiter.end(false), case .failure = outcome { call.record(.slot, since: arrival) }
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

    func didComplete(_ task: URLSessionTask?, _ error: (any Error)?) {
        let hasSentBody: Bool? =
            if error == nil { false } else if let task { task.hasSentBody } else { hasTaskSentBody }
        finish(
            state.withLock { state in
                let wasRedirected = !state.redirects.followed.isEmpty
                // Where one task takes all steps it has counted what the first of them sent; the others send nothing.
                let outcome = state.partial.outcome(
                    of: task, error, of: state.call, wasRedirected: wasRedirected,
                    hasSentBody: wasRedirected ? false : hasSentBody)
                if let response = try? outcome.get() { return state.outcome(response) }
                return state.refusal.map { .failure($0) } ?? outcome
            })
    }

    /// Whether any of the body has been sent by a task in a session of the caller's; nil where nobody knows: on Linux
    /// one with a completion handler does not count what it sends from memory.
    private var hasTaskSentBody: Bool? {
        let (call, task) = state.withLock { ($0.call, $0.task) }
        if task?.hasSentBody == true { return true }
        #if canImport(FoundationNetworking)
        if case .data = call.body?.content { return nil }
        #endif
        return false
    }
}
