import RecordKit

/// The pace of one host, and the calls that wait for it, in order of arrival.
///
/// The first call sleeps until its time. The others wait until they are first.
struct HostQueue {
    typealias Continuation = UnsafeContinuation<Void, Never>

    enum Entry {
        case free
        case waits
        case tooLong(Duration)
    }

    enum Turn {
        /// The call may be sent. The next call, now the first, has to be resumed.
        case goes(next: Continuation?)
        case sleeps(Task<Void, Never>)
        case tooLong(Duration)
    }

    private(set) var pace: HostPace
    private var waiting: [(id: UInt64, continuation: Continuation?)] = []
    /// The sleep of the first call.
    private var sleep: (end: Duration, task: Task<Void, Never>)?

    init(_ pace: HostPace) {
        self.pace = pace
    }

    var count: Int { waiting.count }

    mutating func enter(_ id: UInt64, patience: Duration, now: Duration) -> Entry {
        pace.advance(to: now)
        let time = pace.time(after: waiting.count, now: now)
        if time <= now, waiting.isEmpty {
            pace.take()
            return .free
        }
        if time - now > patience { return .tooLong(time - now) }
        waiting.append((id, nil))
        return .waits
    }

    /// Makes a call wait until it is first. Returns `true` if it is first already.
    mutating func waitForTurn(_ id: UInt64, _ continuation: Continuation) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }), index > 0 else { return true }
        waiting[index].continuation = continuation
        return false
    }

    /// Returns what the first call does now. It waits until `latest` at most.
    mutating func turn(until latest: Duration, _ clock: NetworkClock) -> Turn {
        let now = clock.now()
        pace.advance(to: now)
        sleep = nil
        let end = pace.time(now: now)
        if end <= now {
            pace.take()
            waiting.removeFirst()
            return .goes(next: takeFirst())
        }
        if end > latest { return .tooLong(end - now) }
        let task = Task { _ = try? await clock.sleep(end - clock.now()) }
        sleep = (end, task)
        return .sleeps(task)
    }

    /// Removes the continuation of a call that is cancelled before its turn.
    mutating func wake(_ id: UInt64) -> Continuation? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return waiting[index].continuation.take()
    }

    /// Removes a call. Returns the continuation of the call that is first now.
    mutating func giveUp(_ id: UInt64) -> Continuation? {
        waiting.removeAll { $0.id == id }
        return takeFirst()
    }

    private mutating func takeFirst() -> Continuation? {
        waiting.isEmpty ? nil : waiting[0].continuation.take()
    }

    /// Ends a call. Returns the sleep of the first call if it would end too late now.
    mutating func leave(_ limits: ServerLimits?, mayHaveCounted: Bool, now: Duration) -> Task<Void, Never>? {
        pace.leave(limits, mayHaveCounted: mayHaveCounted, now: now)
        guard let sleep else { return nil }
        pace.advance(to: now)
        return pace.time(now: now) < sleep.end ? sleep.task : nil
    }

    /// Returns whether a new value would be equivalent.
    func isIdle(now: Duration) -> Bool {
        waiting.isEmpty && pace.isIdle(now: now)
    }
}
