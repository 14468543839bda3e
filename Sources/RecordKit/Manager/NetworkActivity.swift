public import Dispatch

extension NetworkConfiguration {
    /// The number of calls and data tasks in flight, in this configuration and its copies, as a stream of changes.
    ///
    /// ```swift
    /// for await count in network.activity { label.text = "\(count) in flight" }
    /// ```
    ///
    /// Each stream has one reader, and begins with the current number. A slow reader receives only the latest number. A
    /// stream doesn't end.
    public var activity: AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let observation = ActivityObservation(tracker, .counts(continuation))
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Observes when calls start and when the last one ends.
    ///
    /// Calls `first` when something is in flight after nothing was, and `last` when nothing is in flight anymore. The
    /// two always alternate. If something is already in flight, `first` is called soon.
    ///
    /// ```swift
    /// observation = network.observeActivity(on: .main) { [spinner] in
    ///     MainActor.assumeIsolated { spinner.show() }
    /// } last: { [spinner] in
    ///     MainActor.assumeIsolated { spinner.hide() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - queue: The serial queue that both are called on. By default, the observation creates one.
    ///   - first: Called when something is in flight after nothing was.
    ///   - last: Called when nothing is in flight anymore.
    /// - Returns: The observation, which ends when it is released. Calls that are already on the queue still run.
    public func observeActivity(
        on queue: DispatchQueue? = nil, first: @escaping @Sendable () -> Void, last: @escaping @Sendable () -> Void
    ) -> ActivityObservation {
        let queue = queue ?? DispatchQueue(label: "RecordKit.activity")
        return ActivityObservation(tracker, .edges(queue, first: first, last: last))
    }
}

/// An observation of ``NetworkConfiguration/observeActivity(on:first:last:)``. It ends when it is released.
public final class ActivityObservation: Sendable {
    private let tracker: TaskTracker
    private let id: UInt64

    fileprivate init(_ tracker: TaskTracker, _ observer: TaskTracker.Observer) {
        self.tracker = tracker
        id = tracker.add(observer)
    }

    deinit { cancel() }

    /// Ends the observation. Calls that are already on the queue still run.
    public func cancel() {
        tracker.removeObserver(id)
    }
}

// These methods run with the tracker's lock held, which keeps the reports in order. They don't call the app's code.
extension TaskTracker.Observer {
    func begin(_ count: Int) {
        switch self {
        case .edges(let queue, let first, _):
            if count > 0 { queue.async(execute: first) }
        case .counts(let continuation): continuation.yield(count)
        }
    }

    func report(_ count: Int, isMore: Bool) {
        switch self {
        case .edges(let queue, let first, let last):
            if count == 1, isMore { queue.async(execute: first) }
            if count == 0 { queue.async(execute: last) }
        case .counts(let continuation): continuation.yield(count)
        }
    }
}
