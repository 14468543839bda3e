public import Dispatch

/// How many calls and data tasks are in flight in a configuration and its copies, whenever it changes;
/// ``NetworkConfiguration/inFlight`` is the number now.
///
/// ```swift
/// for await count in network.activity { label.text = "\(count) in flight" }
/// ```
///
/// A sequence begins with the number that there is. A reader who is slower than the changes gets the latest, and never
/// an old one after a newer. It has no end.
public struct NetworkActivity: AsyncSequence, Sendable {
    public typealias Element = Int
    public typealias Failure = Never

    private let tracker: TaskTracker

    init(_ tracker: TaskTracker) {
        self.tracker = tracker
    }

    /// Calls `first` when something is in flight after nothing was, and `last` when nothing is any more: in turns,
    /// never one of them twice in a row. `first` is called at once when something is in flight already.
    ///
    /// ```swift
    /// observation = network.activity.observe(on: .main) { [spinner] in
    ///     MainActor.assumeIsolated { spinner.show() }
    /// } last: { [spinner] in
    ///     MainActor.assumeIsolated { spinner.hide() }
    /// }
    /// ```
    ///
    /// Both are called on `queue`, which has to be a serial one; by default it is one of its own.
    ///
    /// - Returns: what keeps the observation alive. When it goes, nothing more is called, not even `last`, but what
    ///   waits on the queue already.
    public func observe(
        on queue: DispatchQueue? = nil, first: @escaping @Sendable () -> Void, last: @escaping @Sendable () -> Void
    ) -> Observation {
        let queue = queue ?? DispatchQueue(label: "RecordKit.activity")
        return Observation(tracker, .edges(queue, first: first, last: last))
    }

    public func makeAsyncIterator() -> AsyncStream<Int>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let observation = Observation(tracker, .counts(continuation))
        continuation.onTermination = { _ in observation.cancel() }
        return stream.makeAsyncIterator()
    }

    /// Observes as long as somebody holds it.
    public final class Observation: Sendable {
        private let tracker: TaskTracker
        private let id: UInt64

        fileprivate init(_ tracker: TaskTracker, _ observer: TaskTracker.Observer) {
            self.tracker = tracker
            id = tracker.add(observer)
        }

        deinit { cancel() }

        /// Ends it: what is not being called yet is not called any more, except what waits on the queue already.
        public func cancel() {
            tracker.removeObserver(id)
        }
    }
}

extension NetworkConfiguration {
    /// How many calls and data tasks are in flight, as it changes.
    public var activity: NetworkActivity { NetworkActivity(tracker) }
}
