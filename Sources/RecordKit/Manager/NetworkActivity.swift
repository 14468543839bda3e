public import Dispatch

extension NetworkConfiguration {
    /// The number of calls and data tasks in flight in this configuration and its copies, whenever it changes.
    ///
    /// ```swift
    /// for await count in network.activity { label.text = "\(count) in flight" }
    /// ```
    ///
    /// Each stream has one reader, and begins with the current number. A reader that is slower than the changes gets the
    /// latest one. A stream doesn't end.
    public var activity: AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let observation = ActivityObservation(tracker, .counts(continuation))
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Calls `first` when the first call begins, and `last` when the last one has ended: in turns, never one of them twice in
    /// a row. Calls `first` soon if something is in flight already.
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
    ///   - queue: The serial queue that both are called on. By default, a queue of the observation's own.
    ///   - first: Called when something is in flight after nothing was.
    ///   - last: Called when nothing is in flight any more.
    /// - Returns: What keeps the observation alive. After its release neither is called, except for what the queue holds
    ///   already.
    public func observeActivity(
        on queue: DispatchQueue? = nil, first: @escaping @Sendable () -> Void, last: @escaping @Sendable () -> Void
    ) -> ActivityObservation {
        let queue = queue ?? DispatchQueue(label: "RecordKit.activity")
        return ActivityObservation(tracker, .edges(queue, first: first, last: last))
    }
}

/// An observation of ``NetworkConfiguration/observeActivity(on:first:last:)``, which ends when it is released.
public final class ActivityObservation: Sendable {
    private let tracker: TaskTracker
    private let id: UInt64

    fileprivate init(_ tracker: TaskTracker, _ observer: TaskTracker.Observer) {
        self.tracker = tracker
        id = tracker.add(observer)
    }

    deinit { cancel() }

    /// Ends the observation. Only what the queue holds already is still called.
    public func cancel() {
        tracker.removeObserver(id)
    }
}

// These run with the tracker's lock held, which keeps what is reported in order, and call no code of the app's.
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
