import Dispatch

/// A handle for a call in flight. See ``NetworkManager/send(_:onProgress:configure:completion:)``.
///
/// The call continues if the handle is released.
public struct NetworkTask: Sendable {
    fileprivate let task: Task<Void, Never>
    fileprivate let transfer: Transfer

    /// Cancels the call. Its completion is called, usually with ``NetworkError/cancelled``. After the call has ended,
    /// this does nothing.
    public func cancel() {
        transfer.stop(.cancelled)
        task.cancel()
    }
}

extension NetworkManager {
    /// Sends a request and calls a completion with the result, through every transport and the interceptors.
    ///
    /// The call is in flight when this method returns: ``cancelAll()`` and the handle cancel it from then on.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - onProgress: Receives the progress of the call. See ``NetworkCall/onProgress``.
    ///   - configure: Changes the call before the interceptors.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`. By default, that is a global
    ///     concurrent queue. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        configure: @escaping NetworkCall.Change = { _ in },
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> NetworkTask {
        let queue = client.session?.configuration.completionQueue ?? .global()
        return start(request, onProgress, configure) { result in queue.async { completion(result) } }
    }

    /// Sends a request and calls a completion on the main actor, such as for a view model.
    ///
    /// ```swift
    /// records.send(.fetch(sku: sku), on: MainActor.self) { [weak self] result in
    ///     self?.record = try? result.get()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - actor: The actor of the completion: `MainActor.self`.
    ///   - onProgress: Receives the progress of the call, on the thread of the transfer.
    ///   - configure: Changes the call before the interceptors.
    ///   - completion: Called exactly once, on the main actor. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, on actor: MainActor.Type,
        onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        configure: @escaping NetworkCall.Change = { _ in },
        completion: @escaping @MainActor (Request.ResultType) -> Void
    ) -> NetworkTask {
        start(request, onProgress, configure) { result in await completion(result) }
    }

    /// Starts a call that is tracked when this method returns.
    private func start(
        _ request: Request, _ onProgress: (@Sendable (NetworkProgress) -> Void)?,
        _ configure: @escaping NetworkCall.Change, _ complete: @escaping @Sendable (Request.ResultType) async -> Void
    ) -> NetworkTask {
        let transfer = state.track(in: scope)
        let task = Task {
            var outgoing = OutgoingRequest(request) { call throws(NetworkError) in
                try configure(&call)
                guard let onProgress else { return }
                let own = call.onProgress
                call.onProgress = { progress in
                    own?(progress)
                    onProgress(progress)
                }
            }
            outgoing.transfer = transfer
            let result = await client.outcome(of: outgoing).result
            transfer.endUnclaimed()
            await complete(result)
        }
        // A normal end must not cancel the task, which then reads the response.
        transfer.onStop { task.cancel() }
        return NetworkTask(task: task, transfer: transfer)
    }
}
