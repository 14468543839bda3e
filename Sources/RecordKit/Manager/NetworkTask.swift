import Dispatch
import Synchronization

/// A handle for a call in flight. See ``NetworkManager/send(_:onProgress:completion:)``.
///
/// The call continues if the handle is released.
public struct NetworkTask: Sendable {
    private let task: Task<Void, Never>
    private let latest: LatestProgress

    init(
        onProgress: (@Sendable (NetworkProgress) -> Void)?,
        _ work: @escaping @Sendable (@escaping @Sendable (inout NetworkCall) -> Void) async -> Void
    ) {
        let latest = LatestProgress()
        self.latest = latest
        task = Task {
            await work { call in
                let own = call.onProgress
                call.onProgress = { progress in
                    latest.value.withLock { $0 = progress }
                    own?(progress)
                    onProgress?(progress)
                }
            }
        }
    }

    /// The progress of the call. `nil` until a body is sent or received.
    public var progress: NetworkProgress? { latest.value.withLock { $0 } }

    /// Cancels the call. Its completion is called, usually with ``NetworkError/cancelled``. After the call has ended,
    /// this does nothing.
    public func cancel() {
        task.cancel()
    }
}

/// The last progress of a call.
private final class LatestProgress: Sendable {
    let value = Mutex<NetworkProgress?>(nil)
}

extension NetworkManager {
    /// Sends a request and calls a completion with the result, through every transport and the interceptors.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - onProgress: Receives the progress of the call. See ``NetworkCall/onProgress``.
    ///   - completion: Called exactly once, on the configuration's `completionQueue`. By default, that is a global
    ///     concurrent queue. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> NetworkTask {
        let queue = configuration.completionQueue ?? .global()
        return NetworkTask(onProgress: onProgress) { configure in
            let result = await configuration.result(of: request, configure)
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
    ///   - onProgress: Receives the progress of the call, on the thread of the transfer.
    ///   - completion: Called exactly once, on the main actor. It is never called from within this method.
    /// - Returns: A handle that cancels the call.
    @discardableResult
    public func send(
        _ request: Request, on actor: MainActor, onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        completion: @escaping @MainActor (Request.ResultType) -> Void
    ) -> NetworkTask {
        NetworkTask(onProgress: onProgress) { configure in
            let result = await configuration.result(of: request, configure)
            await completion(result)
        }
    }
}
