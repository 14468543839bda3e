import RecordKitInterceptors

/// When something may be sent: the pause of the whole outbox, and the waits of single entries.
///
/// All times are those of a clock that never goes back, and none is stored: a new process tries at once.
struct Pacing: Sendable {
    /// The state of the pauses when a call begins. If the pauses have changed until it fails, the failure isn't
    /// counted: calls that fail together are one failure, and a `wake()` begins anew.
    struct Start: Sendable {
        fileprivate let era: Int
    }

    private(set) var pause: OutboxStatus.Pause?
    /// The end of the pause, or `nil` if only a `wake()` ends it.
    private(set) var end: Duration?
    /// The time that the server has asked to wait for. No `wake()` shortens it.
    private var floor: Duration = .zero
    /// Whether one call at a time is sent, until one succeeds.
    private(set) var isProbing = false
    /// When entries are due again.
    private(set) var waits: [Int64: Duration] = [:]

    private let backoff: Backoff
    private var era = 0
    private var failures = 0
    private var errorsInARow = 0
    private var fileFailures = 0

    /// The longest wait that a server may ask for.
    private static let longestRetryAfter = Duration.seconds(86_400)

    init(longestBackoff: Duration, random: @escaping @Sendable () -> Double) {
        backoff = Backoff(base: .seconds(1), longestBackoff: longestBackoff, random: random)
    }

    /// Whether the file may be used, which includes calling handlers.
    var canHandle: Bool {
        switch pause {
        case .otherOutbox, .file: false
        default: true
        }
    }

    var start: Start { Start(era: era) }

    /// Ends a pause whose time has come.
    mutating func update(now: Duration) {
        if let end, end <= now { resume() }
    }

    private mutating func resume() {
        pause = nil
        end = nil
        era += 1
    }

    /// Tries everything again now, unless the server has asked for a wait.
    mutating func wake(now: Duration) {
        waits = [:]
        if pause == .serverBusy, floor > now {
            end = floor
        } else if pause != nil {
            resume()
        }
        // A call in flight doesn't count anymore.
        era += 1
        (failures, errorsInARow) = (0, 0)
    }

    /// Ends a pause for a missing connection, since the network of the device has changed.
    mutating func networkChanged() {
        guard pause == .noConnection else { return }
        failures = 0
        resume()
    }

    mutating func succeeded() {
        (failures, errorsInARow, isProbing) = (0, 0, false)
    }

    /// Pauses the outbox after a call that has failed.
    mutating func failed(_ reason: OutboxStatus.Pause, atLeast: Duration?, since start: Start, now: Duration) {
        let asked = atLeast.map { now + min($0, Self.longestRetryAfter) } ?? now
        floor = max(floor, asked)
        guard start.era == era else {
            // A `Retry-After` holds, whenever the call began.
            if pause == nil, floor > now { begin(.serverBusy, until: floor) }
            if pause == .serverBusy { end = end.map { max($0, floor) } }
            return
        }
        isProbing = true
        failures += 1
        begin(reason, until: reason == .signedOut ? nil : max(wait(after: failures, now), floor))
    }

    /// Pauses the outbox if the server fails again and again. Returns whether it does.
    mutating func serverError(since start: Start, now: Duration) {
        errorsInARow += 1
        if errorsInARow >= 5 { failed(.serverBusy, atLeast: nil, since: start, now: now) }
    }

    /// Lets an entry wait after it has failed a number of times.
    mutating func wait(_ id: Int64, after failures: Int, now: Duration) {
        waits[id] = wait(after: failures, now)
    }

    mutating func begin(_ id: Int64) {
        waits[id] = nil
    }

    mutating func fileFailed(_ error: OutboxError, now: Duration) {
        fileFailures += 1
        begin(.file(error), until: wait(after: fileFailures, now))
    }

    mutating func fileSucceeded() {
        fileFailures = 0
    }

    mutating func otherOutboxIsSending(now: Duration) {
        begin(.otherOutbox, until: now + .seconds(2))
    }

    private mutating func begin(_ reason: OutboxStatus.Pause, until time: Duration?) {
        pause = reason
        end = time
        era += 1
    }

    private func wait(after failures: Int, _ now: Duration) -> Duration {
        now + (backoff.pause(after: nil, attempt: failures) ?? .zero)
    }
}
