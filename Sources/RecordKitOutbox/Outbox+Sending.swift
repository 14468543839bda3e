import Foundation
import RecordKit

/// An entry that is being sent or handled.
struct Flight {
    let account: String
    /// Sends the request, and stores its answer. The handler is called afterwards, unless this was cancelled.
    let call: Task<AnsweredEntry?, any Error>
    /// Ends after the handler.
    let end: Task<Void, Never>
}

/// What a handler gets.
struct AnsweredEntry: Sendable {
    let entry: OutboxEntry
    let job: any OutboxJob
    let answer: Answer
}

// Sending.
extension Outbox {
    /// The outboxes whose handlers the current task runs in.
    @TaskLocal private static var handling: Set<ObjectIdentifier> = []

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
        if !Self.handling.contains(ObjectIdentifier(self)) { _ = await pass() }
        return await status()
    }

    /// Sends until nothing is due. Only one task does so at a time: another one waits for it.
    ///
    /// - Returns: The number of changes when it looked last, and the time at which something is due again.
    private func pass() async -> (seen: Int, next: Duration?) {
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
        guard pacing.canHandle else { return pacing.end }
        do {
            if !hasBegun { try await begin() }
            return try await startDue()
        } catch {
            pacing.fileFailed(OutboxError(error, file: file), now: clock.now())
            return pacing.end
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
        let (waits, flying) = (pacing.waits, Set(flights.keys))
        let room = max(limits.concurrency, 1)
        let plan = try await store.perform { file in
            try file.plan(for: accounts, now: date, limit: room) { id in
                flying.contains(id) || waits[id].map { $0 > now } ?? false
            }
        }
        // The account may have changed meanwhile.
        guard accounts == self.accounts else { return try await startDue() }
        if !plan.results.isEmpty || !plan.heads.isEmpty && pacing.pause == nil {
            guard try lock.take() else {
                pacing.otherOutboxIsSending(now: now)
                return pacing.end
            }
            for due in plan.results where flights.count < room { start(due) }
            for due in plan.heads where pacing.pause == nil && flights.count < (pacing.isProbing ? 1 : room) {
                start(due)
            }
        }
        let expiry = plan.expiry.map { now + .seconds(max($0.timeIntervalSince(date), 0)) }
        return [pacing.end, pacing.waits.values.filter { $0 > now }.min(), expiry].compactMap { $0 }.min()
    }

    private func start(_ due: QueuePlan.Due) {
        let id = due.id
        guard flights[id] == nil else { return }
        pacing.begin(id)
        let start = pacing.start
        let call = Task { try await answer(id, since: start) }
        let end = Task {
            do {
                if let answered = try await call.value, !call.isCancelled { try await handle(answered) }
                pacing.fileSucceeded()
            } catch {
                pacing.fileFailed(OutboxError(error, file: file), now: clock.now())
            }
            flights[id] = nil
            changed()
        }
        flights[id] = Flight(account: due.account, call: call, end: end)
    }

    /// Returns an entry with its answer, which is stored. Sends the request if there is none yet.
    ///
    /// - Returns: `nil` if there is nothing to handle now.
    private func answer(_ id: Int64, since start: Pacing.Start) async throws -> AnsweredEntry? {
        if handled.contains(id) {
            try await finish(id)
            return nil
        }
        guard let row = try await store.perform({ try $0.row(id) }) else {
            forget(id)
            return nil
        }
        let folder = store.folder(row.folder)
        let job: any OutboxJob
        do {
            job = try self.job(of: row, in: folder)
        } catch {
            let note = (error as? OutboxError)?.description ?? "The stored request can't be read as \(row.kind)."
            try await store.perform { try $0.setAside(id, note) }
            return nil
        }
        if row.state == .answered {
            guard let answer = try await storedAnswer(of: row, in: folder) else { return nil }
            return AnsweredEntry(entry: row.entry, job: job, answer: answer)
        }
        var answer = answers[id] ?? earlyAnswer(to: row, job)
        if answer == nil { answer = try await send(row, job, in: folder, since: start) }
        guard let answer, let answered = try await save(answer, of: row, in: folder) else { return nil }
        return AnsweredEntry(entry: answered.entry, job: job, answer: answer)
    }

    private func job(of row: EntryRow, in folder: EntryFolder) throws -> any OutboxJob {
        guard let data = row.request else { throw OutboxError(.unusable, "The stored request is damaged.") }
        guard let kind = kind(named: row.kind) else {
            throw OutboxError(.unknownKind, "The app has no kind \"\(row.kind)\".")
        }
        return try kind.job(data, folder)
    }

    /// Returns the answer of an entry that must not be sent, or `nil`.
    private func earlyAnswer(to row: EntryRow, _ job: any OutboxJob) -> Answer? {
        if let expiry = row.expiry, expiry <= clock.date() { return Answer(.expired) }
        return row.reached && job.isAtMostOnce ? Answer(.unknown) : nil
    }

    /// Sends an entry. Returns its answer, or `nil` if it is to be sent again.
    private func send(
        _ row: EntryRow, _ job: any OutboxJob, in folder: EntryFolder, since start: Pacing.Start
    ) async throws -> Answer? {
        let id = row.id
        guard let body = try await body(of: row, job, in: folder) else { return nil }
        let bytes = try Sealed.encode(body, .body, of: row.identity)
        guard let begun = try await store.perform({ try $0.begin(id, body: bytes) }) else { return nil }
        let attempt =
            // Another call may have failed meanwhile.
            if Task.isCancelled || pacing.pause != nil {
                OutboxAttempt(verdict: .again, reached: false)
            } else {
                await job.send(begun.entry, body, in: folder, by: client, now: clock.date)
            }
        let now = clock.now()
        var isReached = row.reached || attempt.reached
        switch attempt.verdict {
        case .final(let answer):
            pacing.succeeded()
            return answer
        case .pause(let reason, let atLeast):
            pacing.failed(reason, atLeast: atLeast, since: start, now: now)
            // A server that refuses the token has changed nothing. So even a request that may be sent once is repeated.
            if reason == .signedOut, job.isAtMostOnce { isReached = false }
        case .serverError: pacing.serverError(since: start, now: now)
        case .unreadable, .again: break
        }
        if isReached, job.isAtMostOnce { return attempt.response.map { Answer($0) } ?? Answer(.unknown) }
        let (isUnsent, limit) = (!isReached, limits.serverErrors)
        let failures: Int? = try await store.perform { file in
            if isUnsent { try file.markAsUnsent(id) }
            switch attempt.verdict {
            case .serverError(let note): return try file.count(1, of: id, note, limit: limit)
            case .unreadable(let note): try file.setAside(id, note)
            default: break
            }
            return nil
        }
        if let failures { pacing.wait(id, after: failures, now: now) }
        return nil
    }

    /// Returns the bytes of the first call, or encodes the body. Returns `nil` if it can't be encoded.
    private func body(of row: EntryRow, _ job: any OutboxJob, in folder: EntryFolder) async throws -> StoredBody? {
        let id = row.id
        if row.reached, let bytes = try await store.perform({ try $0.content(of: id) }),
            let body: StoredBody = Sealed.decode(bytes, .body, of: row.identity)
        {
            return body
        }
        do {
            return try await job.body(in: folder)
        } catch {
            if Task.isCancelled { return nil }
            let note = "The body can't be encoded: \(error.localizedDescription)"
            try await store.perform { try $0.setAside(id, note) }
            return nil
        }
    }
}

// Handling.
extension Outbox {
    /// The number of times that a handler is called.
    private static var handlerLimit: Int { 5 }
    /// The largest answer that is stored in the database, in bytes. Others are in a file.
    private static var answerLimit: Int { 1 << 20 }
    private static var answerFile: String { "answer" }

    /// Stores an answer. What can't be stored now isn't asked for again. Returns `nil` if the entry is gone.
    private func save(_ answer: Answer, of row: EntryRow, in folder: EntryFolder) async throws -> EntryRow? {
        let id = row.id
        answers[id] = answer
        var bytes: Data? = try Sealed.encode(answer, .answer, of: row.identity)
        if let large = bytes, large.count > Self.answerLimit {
            do {
                try await store.copying { try folder.write(large, as: Self.answerFile) }
                bytes = nil
            } catch {
                bytes = try Sealed.encode(Answer(.lost), .answer, of: row.identity)
            }
        }
        let stored = bytes
        let answered = try await store.perform { try $0.answer(id, with: stored) }
        answers[id] = nil
        return answered
    }

    /// Returns the answer for another call of the handler, or `nil` if that was called often enough.
    ///
    /// It is counted before, since a handler may end the process. Storing the answer has counted the first time.
    private func storedAnswer(of row: EntryRow, in folder: EntryFolder) async throws -> Answer? {
        let (id, note) = (row.id, row.note ?? "The handler has ended the process.")
        let (calls, content) = try await store.perform { file in
            (try file.count(1, of: id, note, limit: Self.handlerLimit + 1), try file.content(of: id))
        }
        if calls > Self.handlerLimit { return nil }
        let bytes = content ?? (try? Data(contentsOf: folder.url.appending(path: Self.answerFile)))
        return bytes.flatMap { Sealed.decode($0, .answer, of: row.identity) } ?? Answer(.lost)
    }

    /// Calls the handler, and removes the entry.
    private func handle(_ answered: AnsweredEntry) async throws {
        let id = answered.entry.id
        do {
            try await Self.$handling.withValue(Self.handling.union([ObjectIdentifier(self)])) {
                try await answered.job.handle(answered.entry, answered.answer)
            }
        } catch {
            let note = "The handler has failed: \(type(of: error))."
            let calls = try await store.perform { try $0.count(0, of: id, note, limit: Self.handlerLimit) }
            return pacing.wait(id, after: calls, now: clock.now())
        }
        try await finish(id)
    }

    /// Removes an entry that is done.
    private func finish(_ id: Int64) async throws {
        handled.insert(id)
        if let folder = try await store.perform({ try $0.remove(id) }) { store.folder(folder).remove() }
        hasRemoved = true
        forget(id)
    }
}
