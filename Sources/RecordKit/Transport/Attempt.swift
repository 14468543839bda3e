import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One data task that a session delegate feeds, redirects not followed; it has exactly one outcome.
final class Attempt: SessionTask {
    typealias Outcome = NetworkCall.Outcome
    /// Makes the task of an attempt, suspended.
    typealias Maker = @Sendable (Attempt) throws(NetworkError) -> URLSessionDataTask

    private struct State: ~Copyable {
        var partial = PartialResponse()
        var task: URLSessionDataTask?
        var outcome: Outcome?
        var continuation: UnsafeContinuation<Outcome, Never>?
    }

    let call: NetworkCall
    private let wasRedirected: Bool
    private let state = Mutex(State())

    /// - Parameter wasRedirected: whether earlier attempts of the call have met servers.
    init(_ call: NetworkCall, wasRedirected: Bool) {
        self.call = call
        self.wasRedirected = wasRedirected
    }

    /// Makes the task and starts it; returns its outcome, once.
    func run(_ make: @escaping Maker) async -> Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let early = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let early {
                    continuation.resume(returning: early)
                } else {
                    start(make)
                }
            }
        } onCancel: {
            stop(.failure(.cancelled))
        }
    }

    private func start(_ make: @escaping Maker) {
        // On Linux making and starting wait for the queue of all sessions. An attempt that has ended by then is not kept
        // until then: its body may be large.
        SessionTasks.begin { [weak self] in
            guard let self, state.withLock({ $0.outcome == nil }) else { return }
            do throws(NetworkError) {
                let task = try make(self)
                let isOver = state.withLock { state in
                    state.task = task
                    return state.outcome != nil
                }
                if isOver { task.cancel() } else { task.resume() }
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// Ends the attempt at once, and its task soon after.
    func stop(_ outcome: Outcome) {
        finish(outcome)
        if let task = state.withLock({ $0.task }) { SessionTasks.cancel(task) }
    }

    func didReceive(_ head: HTTPURLResponse) {
        if let outcome = state.withLock({ $0.partial.receive(head, of: call) }) { stop(outcome) }
    }

    func didReceive(_ data: Data) {
        let outcome = state.withLock { state in
            // What still comes after the end is not kept.
            state.outcome == nil ? state.partial.receive(data, of: call) : nil
        }
        if let outcome { stop(outcome) }
    }

    func didReceiveChallenge(_ head: HTTPURLResponse) {
        state.withLock { $0.partial.receiveChallenge(head) }
    }

    /// The redirect is the answer; the transport follows it, and does not wait for its body.
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void) {
        state.withLock { state in
            if state.outcome == nil { completionHandler(nil) }
        }
        guard Redirects.isRedirect(response.statusCode), call.options.redirects?.scope != .nowhere else { return }
        let outcome = Outcome.success(NetworkResponse(response, body: Data(), of: call))
        #if canImport(Darwin)
        stop(outcome)
        #else
        // The body is there by now.
        finish(outcome)
        #endif
    }

    func didComplete(_ task: URLSessionTask?, _ error: (any Error)?) {
        let hasSentBody = error != nil && task?.hasSentBody == true
        finish(
            state.withLock {
                $0.partial.outcome(
                    of: task, error, of: call, wasRedirected: wasRedirected, hasSentBody: hasSentBody)
            })
    }

    private func finish(_ outcome: Outcome) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else { return nil as UnsafeContinuation<Outcome, Never>? }
            state.outcome = outcome
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }
}
