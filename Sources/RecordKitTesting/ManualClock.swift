import Dispatch
public import Foundation
public import RecordKit
import Synchronization

/// A clock whose time a test moves by hand: whoever sleeps by it wakes when the test says so, and no time is lost.
///
/// ```swift
/// let clock = ManualClock()
/// let configuration = NetworkConfiguration(…, interceptors: [RetryInterceptor()], clock: clock.networkClock)
/// async let record = configuration.value(for: RecordService.One.fetch(sku: "LP-0042"))
/// await clock.advanceToNextSleeper()      // the first attempt failed, and the wait before the second is over
/// ```
///
/// Timeouts and deadlines go by it too, and end when ``advance(by:)`` passes them. They are no sleepers.
public final class ManualClock: Sendable {
    private struct Sleeper {
        let end: Duration
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct Timer {
        let end: Duration
        let action: @Sendable () -> Void
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Duration = .zero
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var timers: [Int: Timer] = [:]
        var watchers: [Int: Watcher] = [:]
        var sleeps: [Duration] = []
    }

    private let start: Date
    private let advancesItself: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - date: the date at the time zero.
    ///   - advancesItself: Whether a sleep moves the time at once, for a test with a single sleeper. Default: `false`.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000), advancesItself: Bool = false) {
        start = date
        self.advancesItself = advancesItself
    }

    /// The clock as calls want it.
    public var networkClock: NetworkClock {
        NetworkClock(
            now: { self.now }, sleep: { try await self.sleep(for: $0) }, schedule: { self.schedule($0, $1) },
            date: { self.date })
    }

    /// The time since the clock was made.
    public var now: Duration { state.withLock(\.now) }

    public var date: Date {
        start.addingTimeInterval(now / .seconds(1))
    }

    /// How long each sleeper so far wanted to sleep, in the order in which they began.
    public var sleeps: [Duration] { state.withLock(\.sleeps) }

    /// How many sleep now.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// How many timeouts and deadlines run now.
    public var timerCount: Int { state.withLock(\.timers.count) }

    /// Moves the time, wakes the sleepers whose time has come, the earliest first, and ends what has run out of time.
    public func advance(by duration: Duration) {
        wake { $0.now + duration }
    }

    /// Waits until something sleeps, then moves the time to the moment at which the first sleeper wakes, or to that at
    /// which a timeout or a deadline ends, if that comes first. If nothing sleeps, as after the end of a call, it returns
    /// when the limit is over, so that the test gets to see that end.
    ///
    /// - Parameter limit: of real time.
    /// - Returns: how far the time was moved; not at all when nobody sleeps in time, or the task is cancelled first.
    @discardableResult
    public func advanceToNextSleeper(within limit: Duration = .seconds(30)) async -> Duration {
        await sleepers(1, within: limit)
        let before = now
        wake { state in
            let ends = state.sleepers.values.map(\.end)
            return ends.isEmpty ? state.now : (ends + state.timers.values.map(\.end)).min() ?? state.now
        }
        return now - before
    }

    /// Returns once so many sleep at the same time, or the limit of real time is over, or the task is cancelled.
    public func sleepers(_ count: Int, within limit: Duration = .seconds(30)) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = DispatchWorkItem { [weak self] in self?.leave(id) }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.sleepers.count >= count { return true }
                    state.watchers[id] = Watcher(count: count, continuation: continuation)
                    return false
                }
                if isThere { return continuation.resume() }
                if Task.isCancelled { leave(id) }
                DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1), execute: timer)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ watcher: Int) {
        state.withLock { $0.watchers.removeValue(forKey: watcher) }?.continuation.resume()
    }

    private func wake(to time: (State) -> Duration) {
        let (due, timers) = state.withLock { state in
            state.now = max(state.now, time(state))
            let due = state.sleepers.filter { $0.value.end <= state.now }.sorted { $0.value.end < $1.value.end }
            for (id, _) in due { state.sleepers[id] = nil }
            let timers = state.timers.filter { $0.value.end <= state.now }.sorted { $0.value.end < $1.value.end }
            for (id, _) in timers { state.timers[id] = nil }
            return (due, timers)
        }
        for (_, timer) in timers { timer.action() }
        for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
    }

    private func sleep(for duration: Duration) async throws {
        let isCancelled = Task.isCancelled
        let (id, end) = state.withLock { state in
            state.lastID += 1
            state.sleeps.append(duration)
            return (state.lastID, state.now + duration)
        }
        if isCancelled { throw CancellationError() }
        if advancesItself { advance(by: max(duration, .zero)) }
        if advancesItself || duration <= .zero { return }
        let slept = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let watchers = state.withLock { state -> [Watcher]? in
                    // The time may have been moved since the sleep began.
                    if end <= state.now { return nil }
                    state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    let watchers = state.watchers.filter { $0.value.count <= state.sleepers.count }
                    for id in watchers.keys { state.watchers[id] = nil }
                    return Array(watchers.values)
                }
                guard let watchers else { return continuation.resume(returning: true) }
                for watcher in watchers { watcher.continuation.resume() }
                if Task.isCancelled { interrupt(id) }
            }
        } onCancel: {
            interrupt(id)
        }
        if !slept { throw CancellationError() }
    }

    private func schedule(_ duration: Duration, _ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        if duration <= .zero {
            DispatchQueue.global().async(execute: action)
            return {}
        }
        let id = state.withLock { state in
            state.lastID += 1
            state.timers[state.lastID] = Timer(end: state.now + duration, action: action)
            return state.lastID
        }
        return { _ = self.state.withLock { $0.timers.removeValue(forKey: id) } }
    }

    private func interrupt(_ id: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
}
