import Dispatch
import Foundation
import RecordKit
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Delivers a response to the task that waits for it, once, or not at all if the task is stopped first.
final class StubDelivery: Sendable {
    /// Neither is `Sendable`. They are only used while the lock is held, and only until the loading ends.
    fileprivate struct Target: @unchecked Sendable {
        let urlProtocol: URLProtocol
        let client: any URLProtocolClient
    }

    private struct State {
        /// The receiver of the response, or `nil` after the loading ended.
        var target: Target?
        var response: StubResponse?
        /// Ends the wait for the time of the response.
        var giveUp: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let state: Mutex<State>
    private let task: URLSessionTask?
    private let method: HTTPMethod
    /// The time that a session waits for more data, or `nil` without a limit.
    private let timeout: Duration?
    private let clock: NetworkClock

    init(_ urlProtocol: URLProtocol, _ client: any URLProtocolClient, clock: NetworkClock) {
        self.clock = clock
        state = Mutex(State(target: Target(urlProtocol: urlProtocol, client: client)))
        task = urlProtocol.task
        method = HTTPMethod(rawValue: urlProtocol.request.httpMethod ?? "GET")
        // A number that doesn't fit into a `Duration` means no limit.
        let seconds = urlProtocol.request.timeoutInterval
        timeout = seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    var isStopped: Bool {
        state.withLock { $0.isStopped }
    }

    /// Delivers a response when its gates are open and its time has come, unless the loading is stopped first.
    func respond(with response: StubResponse, on queue: DispatchQueue) {
        var response = response
        var steps = response.pace.waits
        switch response.outcome {
        case .never: steps.append(.hold)
        case .failure: break
        case .response(let head):
            steps += response.arrival(of: response.sent(head, to: method, date: clock.date()).body)
        }
        // The gates, each with the time before it, and the time after the last one.
        var gates: [(time: Duration, gate: ResponseGate)] = []
        var time = Duration.zero
        loop: for step in steps {
            switch step.action {
            case .chunk, .body, .send, .head: break
            case .wait(let gate):
                gates.append((time, gate))
                time = .zero
            case .close, .reset: break loop
            case .delay(let duration):
                time += min(duration, timeout ?? duration)
                // On Linux, a session doesn't apply its timeout to a URLProtocol.
                if let timeout, duration > timeout {
                    response = .failure(.timedOut)
                    break loop
                }
            case .hold:
                response = timeout == nil ? .never : .failure(.timedOut)
                time += timeout ?? .zero
                break loop
            }
        }
        if time == .zero, gates.isEmpty { return hold(response) }
        let sleep = Task { [clock, response, gates, time] in
            do {
                for (time, gate) in gates {
                    if time > .zero { try await clock.sleep(time) }
                    try await gate.wait()
                }
                if time > .zero { try await clock.sleep(time) }
            } catch {
                return
            }
            queue.async { self.hold(response) }
        }
        setGiveUp { sleep.cancel() }
    }

    private func setGiveUp(_ giveUp: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.giveUp = giveUp
            return state.isStopped
        }
        if isStopped { giveUp() }
    }

    private func hold(_ response: StubResponse) {
        state.withLock { $0.response = response }
        #if canImport(FoundationNetworking)
        // A client may only be called on the session's own queue, or the process can crash in a race. No public API
        // leads there, but resuming a running task does: it changes nothing, and calls `startLoading()` again.
        task?.resume()
        #else
        deliver()
        #endif
    }

    /// Passes the response to the client, if there is one and that hasn't happened yet.
    func deliver() {
        // The lock is held to the end, so that the client isn't called after the loading was stopped.
        state.withLock { state in
            guard let target = state.target, let response = state.response else { return }
            switch response.outcome {
            case .never:
                return
            case .failure(let error):
                target.fail(error)
            case .response(let head):
                let head = response.sent(head, to: method, date: clock.date())
                if response.arrival(of: head.body).contains(where: \.losesTheRest) {
                    target.fail(URLError(.networkConnectionLost))
                } else {
                    target.respond(head)
                }
            }
            state.target = nil
        }
    }

    func stop() {
        let giveUp = state.withLock { state in
            state.isStopped = true
            state.target = nil
            return state.giveUp.take()
        }
        giveUp?()
    }
}

extension StubDelivery.Target {
    fileprivate func fail(_ error: any Error) {
        client.urlProtocol(urlProtocol, didFailWithError: error)
    }

    fileprivate func respond(_ head: StubResponse.Head) {
        // Only `Set-Cookie` has several values here.
        let fields = Dictionary(head.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        guard let url = urlProtocol.request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return fail(StubError.invalidResponse(status: head.status)) }
        client.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        // The body is passed at once: on Linux, a task with a completion handler only keeps the last chunk.
        if urlProtocol.request.httpMethod != "HEAD" { client.urlProtocol(urlProtocol, didLoad: head.body) }
        client.urlProtocolDidFinishLoading(urlProtocol)
    }
}
