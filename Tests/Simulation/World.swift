import Foundation
import RecordKit

/// A scheduler, a clock and a log, all decided by a seed.
///
/// The world runs on one thread. It takes every job of the concurrency runtime and every timer, and picks the next one
/// by its generator. When nothing is ready, the time jumps to the next timer. So a seed repeats an order of events
/// exactly.
///
/// Jobs of the main actor, Dispatch and `Task.sleep` don't pass through it, and code between two suspensions isn't
/// divided, except where it calls the clock, an observer or the transport: see ``interrupt()``.
final class World: @unchecked Sendable {  // Only the main thread uses it.
    enum TimerKind {
        /// A timeout or a deadline of the library.
        case limit
        /// A wait of the library.
        case sleep
        /// An event of the simulated server or of the scenario.
        case event
        /// A cancellation, which may also come early.
        case cancellation
    }

    private struct Timer {
        let id: Int
        let time: Duration
        let kind: TimerKind
        let action: () -> Void
    }

    nonisolated(unsafe) private(set) static var current = World(seed: 0)

    var random: Generator
    private(set) var now = Duration.zero
    /// Whether timers may fire while jobs are ready, as on a slow machine.
    var lags = false
    /// Whether other events may happen in the middle of a job.
    var interrupts = false
    private var jobs: [UnownedJob] = []
    private var timers: [Timer] = []
    private var lastID = 0
    private var isInJob = false
    private var steps = 0

    /// The first rule that was broken.
    private(set) var violation: String?
    /// A hash of all notes. Runs with different hashes had different orders.
    private(set) var order: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The notes, if they are kept.
    private(set) var story: [String]?

    private static let executor = Executor()

    private final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) { World.current.jobs.append(UnownedJob(job)) }
    }

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Takes every job of the global executor from now on.
    static func takeJobs() {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            fatalError("this Swift runtime has no swift_task_enqueueGlobal_hook")
        }
        symbol.assumingMemoryBound(to: Optional<Hook>.self).pointee = { job, _ in World.current.jobs.append(job) }
    }

    init(seed: UInt64, keepsStory: Bool = false) {
        random = Generator(seed)
        story = keepsStory ? [] : nil
    }

    /// Records what happened.
    func note(_ text: String) {
        for byte in text.utf8 { order = (order ^ UInt64(byte)) &* 0x100_0000_01b3 }
        story?.append("\(Double(now / .milliseconds(1)).rounded() / 1000) s  \(text)")
    }

    func violate(_ rule: String) {
        if violation == nil { violation = rule }
        story?.append("broken: \(rule)")
    }

    // MARK: Time

    @discardableResult
    func schedule(_ kind: TimerKind, after time: Duration, _ action: @escaping () -> Void) -> Int {
        lastID += 1
        timers.append(Timer(id: lastID, time: now + max(time, .zero), kind: kind, action: action))
        return lastID
    }

    func remove(_ id: Int) {
        guard let index = timers.firstIndex(where: { $0.id == id }) else { return }
        // Released after the array was changed: releasing the action may remove other timers.
        let removed = timers.remove(at: index)
        withExtendedLifetime(removed) {}
    }

    /// Whether nothing will happen any more.
    var isIdle: Bool { jobs.isEmpty && timers.isEmpty }

    func count(of kind: TimerKind) -> Int { timers.count { $0.kind == kind } }

    /// Waits. Returns false if the task was cancelled first, unless it `ignoresCancellation`.
    func pause(_ kind: TimerKind, _ time: Duration, ignoresCancellation: Bool = false) async -> Bool {
        let pause = Pause()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                pause.continuation = continuation
                if pause.isCancelled { return pause.end(false) }
                pause.timer = self.schedule(kind, after: time) { pause.end(true) }
            }
        } onCancel: {
            if ignoresCancellation { return }
            pause.isCancelled = true
            if let timer = pause.timer { self.remove(timer) }
            pause.end(false)
        }
    }

    /// It is unchecked because the simulation has one thread.
    private final class Pause: @unchecked Sendable {
        var continuation: UnsafeContinuation<Bool, Never>?
        var timer: Int?
        var isCancelled = false

        func end(_ isOver: Bool) { continuation.take()?.resume(returning: isOver) }
    }

    var clock: NetworkClock {
        NetworkClock(
            now: { self.now },
            sleep: { if await !self.pause(.sleep, $0) { throw CancellationError() } },
            schedule: { time, action in
                self.interrupt()
                let id = self.schedule(.limit, after: time, action)
                self.interrupt()
                return {
                    self.interrupt()
                    self.remove(id)
                }
            },
            date: { Date(timeIntervalSince1970: 1_000_000_000 + self.now / .seconds(1)) })
    }

    // MARK: Running

    /// Runs until nothing is ready and no timer is set. Calls `onRest` whenever nothing is ready.
    func run(onRest: () -> Void = {}) {
        World.current = self
        while violation == nil {
            var due: [Int] = []
            for index in timers.indices where timers[index].time <= now { due.append(index) }
            if jobs.isEmpty && due.isEmpty {
                onRest()
                if !jobs.isEmpty { continue }
                guard let next = timers.map(\.time).min() else { return }
                now = max(now, next)
                continue
            }
            steps += 1
            if steps > 100_000 { return violate("the calls never come to rest") }
            if lags, random.oneIn(40), let next = timers.map(\.time).min(), next > now {
                now = next
                continue
            }
            let index = random.below(jobs.count + due.count)
            if index < jobs.count {
                let job = jobs.remove(at: index)
                isInJob = true
                job.runSynchronously(on: Self.executor.asUnownedSerialExecutor())
                isInJob = false
            } else {
                timers.remove(at: due[index - jobs.count]).action()
            }
        }
    }

    /// Lets another event happen in the middle of a job, as on another thread. Call it where no lock is held.
    func interrupt() {
        guard interrupts, isInJob, random.oneIn(12) else { return }
        let possible = timers.indices.filter {
            timers[$0].kind == .cancellation || timers[$0].kind != .sleep && timers[$0].time <= now
        }
        if possible.isEmpty { return }
        let timer = timers.remove(at: possible[random.below(possible.count)])
        isInJob = false
        note("in the middle of a job:")
        timer.action()
        isInJob = true
    }
}
