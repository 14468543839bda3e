import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One data task that a session delegate feeds: collects the body, and has exactly one outcome.
final class Attempt: Sendable {
    typealias Outcome = Result<NetworkResponse, NetworkError>

    private struct State {
        var response: HTTPURLResponse?
        var body = Data()
        var outcome: Outcome?
        var continuation: UnsafeContinuation<Outcome, Never>?
    }

    let call: NetworkCall
    private let task: URLSessionDataTask
    private let state = Mutex(State())

    init(_ call: NetworkCall, task: URLSessionDataTask) {
        self.call = call
        self.task = task
    }

    /// Starts the task; returns its outcome, once.
    func run() async -> Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let early = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let early {
                    continuation.resume(returning: early)
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Ends the attempt at once, and its task soon after.
    func stop(_ error: NetworkError) {
        finish(.failure(error))
        SessionTasks.cancel(task)
    }

    func didReceive(_ response: HTTPURLResponse) {
        let limit = call.options.sizeLimit ?? .max
        let isTooLarge = response.expectedContentLength > Int64(limit) && call.method != .head
        state.withLock { $0.response = response }
        if isTooLarge { stop(tooLarge(limit)) }
    }

    func didReceive(_ data: Data) {
        let limit = call.options.sizeLimit ?? .max
        let isTooLarge = state.withLock { state in
            guard state.outcome == nil else { return false }
            guard data.count <= limit - state.body.count else {
                state.body = Data()
                return true
            }
            // The first piece is mostly the only one; taking it as it is copies nothing.
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            return false
        }
        if isTooLarge { stop(tooLarge(limit)) }
    }

    /// A 401 that Linux's URLSession would wait on for ever; see ``SessionDelegate``.
    func didReceiveChallenge(_ response: HTTPURLResponse) {
        state.withLock { $0.response = response }
    }

    func didComplete(_ error: (any Error)?) {
        let (response, body) = state.withLock { state in
            defer { state.body = Data() }
            return (state.response, state.body)
        }
        switch (response, error) {
        case (let response?, nil):
            finish(.success(NetworkResponse(response, body: body, of: call)))
        case (let response?, let error as URLError) where response.statusCode == 401 && error.code == .cancelled:
            finish(.success(NetworkResponse(response, body: body, of: call)))
        case (_, let error?):
            finish(.failure(NetworkError(error, of: call, hasResponse: response != nil)))
        case (nil, nil):
            finish(.failure(.badResponse(BadResponse(host: call.url.hostAndPort))))
        }
    }

    private func finish(_ outcome: Outcome) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else { return nil as UnsafeContinuation<Outcome, Never>? }
            state.outcome = outcome
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }

    private func tooLarge(_ limit: Int) -> NetworkError {
        .tooLarge(TooLarge(limit: limit, host: call.url.hostAndPort))
    }
}
