import Dispatch
public import Foundation
public import RecordKit

/// A clock that a test moves by hand. Sleeping tasks wake when the test says so, without waiting in real time.
///
/// ```swift
/// let clock = ManualClock()
/// let configuration = NetworkConfiguration(
///     environment: .production, interceptors: [RetryInterceptor()],
///     clock: clock.networkClock)
/// let records = NetworkManager<RecordService.One>(configuration)
/// async let record = records.value(for: .fetch(sku: "LP-0042"))
/// // The first attempt has failed. This ends the wait before the second.
/// await clock.advanceToNextSleeper()
/// print(try await record.title)
/// ```
///
/// Timeouts and deadlines use the clock, too. They end when ``advance(by:)`` passes them. They aren't sleepers.
public final class ManualClock: Sendable {
    private struct Sleeper {
        let end: Duration
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct Timer {
        let end: Duration
        let action: @Sendable () -> Void
    }

    private struct State: JournalEntries {
        var now: Duration = .zero
        /// How far the date was set forward or back.
        var shift: Duration = .zero
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var timers: [Int: Timer] = [:]
        var sleeps: [Duration] = []

        var received: [String] { [] }
    }

    private let start: Date
    private let advancesItself: Bool
    private let journal = Journal(State())

    /// Creates a clock at the time zero.
    ///
    /// - Parameters:
    ///   - date: The date at the time zero. Default: September 9, 2001, 01:46:40 UTC.
    ///   - advancesItself: Whether a sleep advances the time at once, for a test with a single sleeper. Default:
    ///     `false`.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000), advancesItself: Bool = false) {
        start = date
        self.advancesItself = advancesItself
    }

    /// The clock for a network configuration.
    public var networkClock: NetworkClock {
        NetworkClock(
            now: { self.now }, sleep: { try await self.sleep(for: $0) }, schedule: { self.schedule($0, $1) },
            date: { self.date })
    }

    /// The time since the clock was created.
    public var now: Duration { journal.entries.now }

    /// The date of the clock.
    public var date: Date {
        let state = journal.entries
        return start.addingTimeInterval((state.now + state.shift) / .seconds(1))
    }

    /// The durations of all sleeps so far, in the order in which they began.
    public var sleeps: [Duration] { journal.entries.sleeps }

    /// The number of sleepers now.
    public var sleeperCount: Int { journal.entries.sleepers.count }

    /// The number of timeouts and deadlines that run now.
    public var timerCount: Int { journal.entries.timers.count }

    /// Advances the time. Ends the timeouts and deadlines that are reached, and wakes the sleepers whose time has come,
    /// the earliest first.
    ///
    /// - Parameter duration: The duration by which the time advances.
    public func advance(by duration: Duration) {
        wake { $0.now + duration }
    }

    /// Changes the date and not the time, as a user does who sets the clock of a device.
    ///
    /// ``now``, sleepers, timeouts and deadlines stay as they are.
    ///
    /// - Parameter duration: The duration by which the date changes. A negative one sets it back.
    public func shiftDate(by duration: Duration) {
        journal.note { $0.shift += duration }
    }

    /// Waits for a sleeper, then advances the time to the moment at which the first sleeper wakes, or to an earlier end
    /// of a timeout or deadline.
    ///
    /// If nothing sleeps, as after the end of a call, it returns when the limit is reached.
    ///
    /// - Parameter limit: The longest time to wait, in real time. Default: 30 seconds.
    /// - Returns: The duration by which the time advanced. Zero if nothing slept within the limit, or if the task was
    ///   cancelled.
    @discardableResult
    public func advanceToNextSleeper(within limit: Duration = .seconds(30)) async -> Duration {
        await waitForSleepers(1, within: limit)
        let before = now
        wake { state in
            let ends = state.sleepers.values.map(\.end)
            return ends.isEmpty ? state.now : (ends + state.timers.values.map(\.end)).min() ?? state.now
        }
        return now - before
    }

    /// Waits until there is a number of sleepers at the same time, the limit is reached, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The number of sleepers.
    ///   - limit: The longest time to wait, in real time. Default: 30 seconds.
    public func waitForSleepers(_ count: Int, within limit: Duration = .seconds(30)) async {
        _ = try? await journal.entries("\(count) sleepers", within: limit) { $0.sleepers.count >= count }
    }

    private func wake(to time: (State) -> Duration) {
        let (due, timers) = journal.note { state in
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
        let (id, end) = journal.note { state in
            state.lastID += 1
            state.sleeps.append(duration)
            return (state.lastID, state.now + duration)
        }
        if isCancelled { throw CancellationError() }
        if advancesItself { advance(by: max(duration, .zero)) }
        if advancesItself || duration <= .zero { return }
        let slept = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = journal.note { state in
                    // The time may have advanced since the sleep began.
                    if end <= state.now { return true }
                    state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    return false
                }
                if isOver { return continuation.resume(returning: true) }
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
        let id = journal.note { state in
            state.lastID += 1
            state.timers[state.lastID] = Timer(end: state.now + duration, action: action)
            return state.lastID
        }
        return { _ = self.journal.note { $0.timers.removeValue(forKey: id) } }
    }

    private func interrupt(_ id: Int) {
        journal.note { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
}
