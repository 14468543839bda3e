import Dispatch

/// A handle for a call in flight. See ``NetworkManager/send(_:completion:)``.
///
/// The call continues if the handle is released.
public struct NetworkTask: Sendable {
    private let task: Task<Void, Never>

    init(_ work: @escaping @Sendable () async -> Void) {
        task = Task { await work() }
    }

    /// Cancels the call. Its completion is called, usually with ``NetworkError/cancelled``. After the call has ended,
    /// this does nothing.
    public func cancel() {
        task.cancel()
    }
}

extension NetworkManager {
    /// Sends a request and calls a completion with the result, through every transport and the interceptors.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`. By default, that is a global
    ///     concurrent queue. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> NetworkTask {
        let queue = configuration.completionQueue ?? .global()
        return NetworkTask {
            let result = await result(for: request)
            queue.async { completion(result) }
        }
    }

    /// Sends a request and calls a completion on the main actor, such as for a view model.
    ///
    /// ```swift
    /// records.send(.fetch(sku: sku), on: .shared) { [weak self] result in self?.record = try? result.get() }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - actor: The main actor.
    ///   - completion: Called exactly once, on the main actor. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, on actor: MainActor, completion: @escaping @MainActor (Request.ResultType) -> Void
    ) -> NetworkTask {
        NetworkTask {
            let result = await result(for: request)
            await completion(result)
        }
    }
}
