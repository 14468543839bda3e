import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The way of one answer to the task that waits for it: taken once, or not at all if the task is stopped first.
final class StubDelivery: Sendable {
    /// Neither of the two is Sendable. They are only touched with the lock held, and only until the loading is over.
    fileprivate struct Target: @unchecked Sendable {
        let urlProtocol: URLProtocol
        let client: any URLProtocolClient
    }

    private struct State {
        /// Nil once the loading is over.
        var target: Target?
        var answer: StubAnswer?
        var gate: (gate: AnswerGate, id: Int)?
        var isStopped = false
    }

    private let state: Mutex<State>
    private let task: URLSessionTask?

    init(_ urlProtocol: URLProtocol, _ client: any URLProtocolClient) {
        state = Mutex(State(target: Target(urlProtocol: urlProtocol, client: client)))
        task = urlProtocol.task
    }

    var isStopped: Bool {
        state.withLock { $0.isStopped }
    }

    /// Delivers the answer, once its gate is open, unless the loading is stopped first.
    func answer(with answer: StubAnswer, on queue: DispatchQueue) {
        guard let gate = answer.gate else { return hold(answer) }
        let id = gate.newID()
        state.withLock { $0.gate = (gate, id) }
        gate.notify(id) { opened in
            if opened { queue.async { self.hold(answer) } }
        }
        // The loading may have been stopped before the gate knew of the one who waits.
        if isStopped { gate.giveUp(id) }
    }

    private func hold(_ answer: StubAnswer) {
        state.withLock { $0.answer = answer }
        #if canImport(FoundationNetworking)
        // A client may only be called on the session's own queue, or the process can end in a race. No public name
        // leads there, but resuming a task that runs does: it changes nothing, and starts the loading once more.
        task?.resume()
        #else
        deliver()
        #endif
    }

    /// Tells the client of the answer, if there is one and it has not been told.
    func deliver() {
        // The lock is held to the end, so that the client hears nothing after the loading is stopped.
        state.withLock { state in
            guard let target = state.target, let answer = state.answer else { return }
            switch answer.outcome {
            case .never:
                return
            case .failure(let error):
                target.fail(error)
            case .response(let status, let headers, let body):
                target.respond(status: status, headers: headers, body: body)
            }
            state.target = nil
        }
    }

    func stop() {
        let gate = state.withLock { state in
            state.isStopped = true
            state.target = nil
            return state.gate
        }
        if let gate { gate.gate.giveUp(gate.id) }
    }
}

extension StubDelivery.Target {
    fileprivate func fail(_ error: any Error) {
        client.urlProtocol(urlProtocol, didFailWithError: error)
    }

    fileprivate func respond(status: Int, headers: [String: String], body: Data) {
        guard let url = urlProtocol.request.url,
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return fail(StubError.invalidAnswer(status: status)) }
        client.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        // The body in one piece: on Linux a task with a completion handler keeps only the last.
        if urlProtocol.request.httpMethod != "HEAD" { client.urlProtocol(urlProtocol, didLoad: body) }
        client.urlProtocolDidFinishLoading(urlProtocol)
    }
}
