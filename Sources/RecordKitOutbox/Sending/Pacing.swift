import RecordKitInterceptors

/// When something may be sent: the pauses of the whole outbox, and the waits of single entries.
///
/// All times are those of a clock that never goes back, and none is stored: a new process tries at once.
struct Pacing: Sendable {
    /// The state of the pauses when a call begins. If they have changed until it fails, the failure doesn't pause the
    /// outbox: calls that fail together are one failure, and a `wake()` begins again.
    struct Start: Sendable {
        fileprivate let era: Int
        fileprivate let wakes: Int
    }

    private struct Pause {
        let reason: OutboxStatus.Pause
        /// `nil` if only a `wake()` ends it.
        var end: Duration?
        /// Whether entries that haven't failed yet are sent meanwhile.
        var isForFailed = false
    }

    private struct Wait {
        var end: Duration
        /// The time until which the server has asked to wait. No `wake()` shortens it.
        let asked: Duration
    }

    /// The pause for the file. Neither of the two ends the other.
    private var filePause: Pause?
    private var serverPause: Pause?
    /// The time until which the server has asked the outbox to wait. No `wake()` shortens it.
    private var asked: Duration = .zero
    /// Whether one call at a time is sent, until one is answered.
    private(set) var isProbing = false
    private var waits: [Int64: Wait] = [:]
    /// The entries that have failed since a server has answered a request.
    private var failed: Set<Int64> = []

    private let longestBackoff: Duration
    private let random: @Sendable () -> Double
    private var era = 0
    private var wakes = 0
    private var pauses = 0
    private var fileFailures = 0

    /// The longest wait that a server may ask for.
    private static let longestRetryAfter = Duration.seconds(86_400)

    init(longestBackoff: Duration, random: @escaping @Sendable () -> Double) {
        (self.longestBackoff, self.random) = (longestBackoff, random)
    }

    /// Why nothing is sent.
    var pause: OutboxStatus.Pause? { (filePause ?? serverPause)?.reason }

    /// Whether the file may be used, which includes calling handlers.
    var canHandle: Bool { filePause == nil }

    /// Whether a head that hasn't failed yet is sent though others wait. After so many failures, the server is down.
    var triesNewHeads: Bool { pauses < 100 }

    var start: Start { Start(era: era, wakes: wakes) }

    /// Returns whether a call may begin.
    ///
    /// - Parameter isEager: Whether the entry has not failed yet, or is to be tried at once.
    func allowsCall(isEager: Bool) -> Bool {
        canHandle && serverPause.map { $0.isForFailed && isEager } ?? true
    }

    /// Returns whether an entry waits after a failure.
    ///
    /// - Parameter onlyAsked: Whether to return only whether the server has asked for it.
    func waits(_ id: Int64, at now: Duration, onlyAsked: Bool = false) -> Bool {
        waits[id].map { (onlyAsked ? $0.asked : $0.end) > now } ?? false
    }

    /// The time at which a pause or a wait ends, or `nil`.
    func nextEnd(after now: Duration) -> Duration? {
        if let filePause { return filePause.end }
        return ([serverPause?.end].compactMap { $0 } + waits.values.map(\.end).filter { $0 > now }).min()
    }

    /// Ends the pauses whose time has come.
    mutating func update(now: Duration) {
        if let end = filePause?.end, end <= now { filePause = nil }
        if let end = serverPause?.end, end <= now { resume() }
    }

    private mutating func resume() {
        serverPause = nil
        era += 1
    }

    /// Tries everything again now, unless a server has asked for a wait.
    mutating func wake(now: Duration) {
        waits = waits.filter { $0.value.asked > now }.mapValues { Wait(end: $0.asked, asked: $0.asked) }
        (pauses, failed, filePause) = (0, [], nil)
        // A call in flight doesn't count anymore.
        resume()
        wakes += 1
        if asked > now { serverPause = Pause(reason: .serverBusy, end: asked) }
    }

    /// Tries again, since the network of the device has changed.
    mutating func networkChanged(now: Duration) {
        if serverPause?.reason != .signedOut { wake(now: now) }
    }
}

// Outcomes of calls.
extension Pacing {
    /// A server has answered a request.
    mutating func answered() {
        (pauses, failed, isProbing) = (0, [], false)
        if serverPause?.isForFailed == true { resume() }
    }

    /// Pauses the outbox, since nothing can be sent now.
    mutating func refused(_ trouble: Verdict.Trouble, since start: Start, now: Duration) {
        asked = max(asked, end(of: trouble.wait, now))
        if start.era == era {
            begin(trouble.pause, isForFailed: false, random(), now)
            if trouble.pause == .signedOut { serverPause?.end = nil }
        } else if asked > now, serverPause == nil || serverPause?.end != nil {
            // A `Retry-After` holds, whenever the call began.
            let reason = serverPause?.reason ?? .serverBusy
            serverPause = Pause(reason: reason, end: max(serverPause?.end ?? asked, asked))
        }
    }

    /// Lets an entry wait that has failed. A second one pauses the outbox: the first may be bad, and two are rather a
    /// sign that the server is.
    mutating func failed(
        _ id: Int64, after failures: Int, _ trouble: Verdict.Trouble, since start: Start, now: Duration
    ) {
        let asked = self.end(of: trouble.wait, now)
        let share = random()
        let end = start.wakes == wakes ? wait(after: failures, now, share: share) : now
        waits[id] = Wait(end: max(end, asked), asked: asked)
        failed.insert(id)
        if failed.count > 1, start.era == era { begin(trouble.pause, isForFailed: true, share, now) }
    }

    private mutating func begin(_ reason: OutboxStatus.Pause, isForFailed: Bool, _ share: Double, _ now: Duration) {
        pauses += 1
        isProbing = true
        let end = max(wait(after: pauses, now, share: share), asked)
        serverPause = Pause(reason: reason, end: end, isForFailed: isForFailed)
        era += 1
    }

    private func end(of wait: Duration?, _ now: Duration) -> Duration {
        now + min(wait ?? .zero, Self.longestRetryAfter)
    }

    /// Returns the end of a wait.
    ///
    /// - Parameter share: The random share of the longest wait. An entry that pauses the outbox doesn't draw two: the
    ///   longer one would count.
    private func wait(after failures: Int, _ now: Duration, share: Double? = nil) -> Duration {
        let share = share ?? random()
        let backoff = Backoff(base: .seconds(1), longestBackoff: longestBackoff, random: { share })
        return now + (backoff.pause(after: nil, attempt: failures) ?? .zero)
    }
}

// Single entries, and the file.
extension Pacing {
    /// Lets an entry wait whose handler has failed a number of times.
    mutating func wait(_ id: Int64, after failures: Int, now: Duration) {
        waits[id] = Wait(end: wait(after: failures, now), asked: .zero)
    }

    /// Ends the wait of an entry, unless the server has asked for it.
    mutating func hurry(_ id: Int64) {
        if let asked = waits[id]?.asked { waits[id]?.end = asked }
    }

    mutating func begin(_ id: Int64) {
        waits[id] = nil
    }

    mutating func forget(_ id: Int64) {
        waits[id] = nil
        failed.remove(id)
    }

    mutating func fileFailed(_ error: OutboxError, now: Duration) {
        fileFailures += 1
        filePause = Pause(reason: .file(error), end: wait(after: fileFailures, now))
    }

    mutating func fileSucceeded() {
        fileFailures = 0
    }

    mutating func otherOutboxIsSending(now: Duration) {
        filePause = Pause(reason: .otherOutbox, end: now + .seconds(2))
    }
}
