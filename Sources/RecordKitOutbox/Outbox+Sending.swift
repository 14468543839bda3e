import Foundation
import RecordKit

/// An entry that is being sent or handled.
struct Flight {
    let account: String
    let lane: String
    /// Whether it is in the place of a handler, and not of a call.
    var isHandling: Bool
    /// Sends the request, and stores its result. The handler is called afterwards, unless this was cancelled.
    let call: Task<UnhandledEntry?, any Error>
    /// Ends after the handler.
    let end: Task<Void, Never>
}

/// Finds out whether an entry that fails is bad, or its server is down. It lives for the moment that this takes.
///
/// Entries behind it are tried in order. After each that is answered, the entry itself is tried again.
struct Trial: Sendable {
    /// The entry behind which to go on.
    var last: Int64
    /// Whether the entry itself is next.
    var isHeadNext = false
    /// Whether one behind it was answered.
    var hasAnswer = false
    /// Those behind it that have failed: they may be bad, too.
    var failed: Set<Int64> = []
}

// Sending.
extension Outbox {
    /// The longest wait, in seconds: a year.
    static var longestWait: Double { 366 * 86_400 }

    /// Sends what is added, until the task is cancelled.
    ///
    /// Cancelling ends the calls in flight, and waits for handlers. Nothing is lost: call it again later.
    ///
    /// ```swift
    /// let running = Task { await outbox.run() }
    /// ```
    public func run() async {
        #if canImport(Network)
        let path = Task {
            for await _ in NetworkPath.changes() { networkChanged() }
        }
        defer { path.cancel() }
        #endif
        // A second task takes over when the first is cancelled.
        while isRunning, !Task.isCancelled { await change(since: changeCount) }
        if Task.isCancelled { return }
        isRunning = true
        while !Task.isCancelled {
            let (seen, next) = await pass()
            await change(since: seen, until: next)
        }
        isRunning = false
        changed()
    }

    /// Sends what can be sent now, and returns when nothing is due. For background tasks and command-line tools.
    ///
    /// Within a handler, it returns at once, since the entry of the handler itself is being sent.
    ///
    /// - Returns: The status. Entries that wait, and a pause, show that something is left.
    @discardableResult
    public func sendPending() async -> OutboxStatus {
        if handledEntry == nil { _ = await pass() }
        return await status()
    }

    /// Sends until nothing is due. Only one task does so at a time: another one waits for it.
    ///
    /// - Returns: The number of changes when it looked last, and the time at which something is due again.
    func pass() async -> (seen: Int, next: Duration?) {
        while isPassing, !Task.isCancelled { await change(since: changeCount) }
        if Task.isCancelled { return (changeCount, nil) }
        isPassing = true
        defer {
            lock.release()
            isPassing = false
            changed()
        }
        while !Task.isCancelled {
            let seen = changeCount
            let next = await fill()
            // More may have become due while it looked.
            if flights.isEmpty, seen == changeCount {
                if hasRemoved {
                    hasRemoved = false
                    try? await store.perform { try $0.shrink() }
                }
                // Ending the pass is a change itself, and not one to look at.
                if seen == changeCount { return (seen + 1, next) }
            }
            await change(since: seen, until: next)
        }
        for flight in flights.values { flight.call.cancel() }
        for flight in flights.values { await flight.end.value }
        return (changeCount, nil)
    }

    /// Starts what is due, as far as the limits allow. Returns the time at which more is due.
    private func fill() async -> Duration? {
        pacing.update(now: clock.now())
        guard pacing.canHandle else { return pacing.nextEnd(after: clock.now()) }
        do {
            if !hasBegun { try await begin() }
            return try await startDue()
        } catch {
            pacing.fileFailed(OutboxError(error, file: file), now: clock.now())
            return pacing.nextEnd(after: clock.now())
        }
    }

    /// Cleans up at the first use.
    private func begin() async throws {
        // This version of the app may read what the one before couldn't.
        try await store.perform { try $0.reviveUnreadable() }
        try await store.sweep(before: Date(timeIntervalSinceNow: -86_400))
        hasBegun = true
    }

    private func startDue() async throws -> Duration? {
        let (now, date, accounts) = (clock.now(), clock.date(), accounts)
        let room = max(limits.concurrency, 1)
        let lanes = Set(flights.values.map { [$0.account, $0.lane] })
        let (plan, tried) = try await plan(now, date, room, lanes)
        // The account may have changed meanwhile.
        guard accounts == self.accounts else { return try await startDue() }
        // The handler of an entry that was removed may still hold up its lane.
        let calls = (tried + plan.heads).filter { due in
            pacing.allowsCall(isEager: isEager(due)) && !lanes.contains([due.account, due.lane])
        }
        if !plan.results.isEmpty || !calls.isEmpty {
            guard try lock.take() else {
                pacing.otherOutboxIsSending(now: now)
                return pacing.nextEnd(after: now)
            }
            for due in plan.results where flights.values.count(where: \.isHandling) < room {
                start(due, isHandling: true)
            }
            for due in calls where pacing.allowsCall(isEager: isEager(due)) {
                let places = pacing.isProbing ? 1 : room
                if flights.values.count(where: { !$0.isHandling }) < places { start(due, isHandling: false) }
            }
        }
        let expiry = plan.expiry.map { now + .seconds(min(max($0.timeIntervalSince(date), 0), Self.longestWait)) }
        return [pacing.nextEnd(after: now), expiry].compactMap { $0 }.min()
    }

    /// Whether an entry is sent though others that have failed wait.
    private func isEager(_ due: QueuePlan.Due) -> Bool {
        due.failures == 0 && pacing.triesNewHeads || due.head != nil || trials[due.id] != nil
    }

    /// Returns what is due, and what is to be tried at once for the sake of a head.
    private func plan(
        _ now: Duration, _ date: Date, _ room: Int, _ lanes: Set<[String]>
    ) async throws -> (QueuePlan, tried: [QueuePlan.Due]) {
        let (accounts, kinds, known, pacing, trials) = (accounts, kinds, kindNames, pacing, trials)
        let (flying, limit) = (Set(flights.keys), limits.failures)
        let (plan, tried, ended) = try await store.perform { file in
            let plan = try file.plan(for: accounts, known: known, now: date, limit: room) { due in
                flying.contains(due.id) || pacing.waits(due.id, at: now)
                    || !due.isUnhandled && trials[due.id] != nil
            }
            var tried: [QueuePlan.Due] = []
            var ended: [Int64] = []
            for (id, trial) in trials {
                guard let head = try file.due(id), !head.isUnhandled, accounts.contains(head.account) else {
                    ended.append(id)
                    continue
                }
                if lanes.contains([head.account, head.lane]) { continue }
                if trial.isHeadNext {
                    if !pacing.waits(id, at: now) { tried.append(head) }
                    continue
                }
                let isLong = FailureCounts(failures: head.failures).isLong(limit)
                let kind = isLong ? nil : kinds.first { $0.names.contains(head.kind) }
                let next = try file.candidate(
                    behind: head, after: trial.last, kinds: kind.map { Set($0.names) } ?? known
                ) {
                    !flying.contains($0) && !pacing.waits($0, at: now, onlyAsked: true)
                }
                if let next { tried.append(next) } else { ended.append(id) }
            }
            return (plan, tried, ended)
        }
        for id in ended { self.trials[id] = nil }
        return (plan, tried)
    }

    private func start(_ due: QueuePlan.Due, isHandling: Bool) {
        let id = due.id
        guard flights[id] == nil else { return }
        pacing.begin(id)
        let (start, isEager) = (pacing.start, isEager(due))
        let call = Task { try await result(of: due, isEager: isEager, since: start) }
        let end = Task {
            do {
                if let unhandled = try await call.value, !call.isCancelled { try await handle(unhandled) }
                pacing.fileSucceeded()
            } catch {
                pacing.fileFailed(OutboxError(error, file: file), now: clock.now())
            }
            flights[id] = nil
            changed()
        }
        flights[id] = Flight(account: due.account, lane: due.lane, isHandling: isHandling, call: call, end: end)
    }
}
