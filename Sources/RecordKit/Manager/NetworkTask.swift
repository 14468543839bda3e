import Dispatch

/// A handle of a call that runs; see ``NetworkManager/send(_:completion:)``.
///
/// The call goes on if the handle is released.
public struct NetworkTask: Sendable {
    private let task: Task<Void, Never>

    init(_ work: @escaping @Sendable () async -> Void) {
        task = Task { await work() }
    }

    /// Ends the call. Its completion is called, mostly with ``NetworkError/cancelled``; after its end, nothing happens.
    public func cancel() {
        task.cancel()
    }
}

extension NetworkManager {
    /// Runs a whole call, with every transport and through the interceptors, for code that works with completions.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`, by default a global concurrent
    ///     queue. Never called from within this method.
    /// - Returns: A handle to cancel the call with.
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

    /// Runs a whole call, and completes on the main actor, as a view model wants it.
    ///
    /// ```swift
    /// records.send(.fetch(sku: sku), on: .shared) { [weak self] result in self?.record = try? result.get() }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - actor: The main actor.
    ///   - completion: Called exactly once, on the main actor. Never called from within this method.
    /// - Returns: A handle to cancel the call with.
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
