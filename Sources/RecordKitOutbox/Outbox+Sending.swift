import Foundation
import RecordKit

/// An entry that is being sent or handled.
struct Flight {
    let number: Int
    /// The time at which it began, as the pacing sees it.
    let start: Pacing.Start
    /// The account of the entry, once it is read.
    var account: StoredAccount?
    /// Whether a call may still begin, or is in flight.
    var isCalling = true
    /// Whether the call must end, or must not begin.
    var isStopped = false
    var call: Task<OutboxAttempt, Never>?
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
    /// .task { await outbox.run() }
    /// ```
    public func run() async {
        #if canImport(Network)
        let path = Task {
            for await _ in NetworkPath.changes() { networkChanged() }
        }
        defer { path.cancel() }
        #endif
        await withTaskCancellationHandler {
            // A second task takes over when the first is cancelled.
            while isRunning, !Task.isCancelled { await change(since: observers.count) }
            if Task.isCancelled { return }
            isRunning = true
            while !Task.isCancelled {
                let (seen, next) = await pass()
                if !Task.isCancelled { await change(since: seen, until: next) }
            }
            isRunning = false
            changed()
        } onCancel: {
            Task { await self.changed() }
        }
    }

    /// Sends what can be sent now, and returns when nothing is due. For background tasks and command-line tools.
    ///
    /// Within a handler, it returns at once, since the entry of the handler itself is being sent.
    ///
    /// - Returns: The status. Entries that wait, and a pause, show that something is left.
    @discardableResult
    public func sendPending() async -> OutboxStatus {
        if !Self.handling.contains(ObjectIdentifier(self)) {
            await withTaskCancellationHandler {
                _ = await pass()
            } onCancel: {
                Task { await self.changed() }
            }
        }
        return await status()
    }

    /// Sends until nothing is due. Only one task does so at a time: another one waits for it.
    ///
    /// - Returns: The number of changes when it looked last, and the time at which something is due again.
    private func pass() async -> (seen: Int, next: Duration?) {
        while isPassing, !Task.isCancelled { await change(since: observers.count) }
        if Task.isCancelled { return (observers.count, nil) }
        isPassing = true
        defer {
            lock.release()
            isPassing = false
            changed()
        }
        while true {
            let seen = observers.count
            var next: Duration?
            if Task.isCancelled {
                for id in flights.keys { stop(id) }
            } else {
                next = await fill()
            }
            // More may have become due while it looked.
            if flights.isEmpty, seen == observers.count {
                if hasRemoved {
                    hasRemoved = false
                    try? await store.perform { try $0.shrink() }
                }
                // Ending the pass is a change itself, and not one to look at.
                if seen == observers.count { return (seen + 1, next) }
            }
            await change(since: seen, until: next)
        }
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
    private func begin() async throws(OutboxError) {
        // This version of the app may read what the one before couldn't.
        try await store.perform { try $0.revive(unreadableOnly: true) }
        try await store.sweep(before: Date(timeIntervalSinceNow: -86_400))
        hasBegun = true
    }

    private func startDue() async throws -> Duration? {
        let (now, date) = (clock.now(), clock.date())
        let (waits, flying, cursor, accounts) = (pacing.waits, flights, cursor, account.visible)
        let room = max(limits.concurrency, 1)
        let plan = try await store.perform { file in
            try file.plan(for: accounts, after: cursor, now: date, limit: room) { id in
                flying[id] != nil || waits[id].map { $0 > now } ?? false
            }
        }
        // The account may have changed meanwhile.
        guard accounts == account.visible else { return try await startDue() }
        if !plan.results.isEmpty || !plan.heads.isEmpty && pacing.pause == nil {
            guard try lock.take() else {
                pacing.otherOutboxIsSending(now: now)
                return pacing.end
            }
            for id in plan.results where flights.count < room { start(id) }
            for id in plan.heads where pacing.pause == nil && flights.count < (pacing.isProbing ? 1 : room) {
                self.cursor = id
                start(id)
            }
        }
        let expiry = plan.expiry.map { now + .seconds(max($0.timeIntervalSince(date), 0)) }
        return [pacing.end, pacing.waits.values.filter { $0 > now }.min(), expiry].compactMap { $0 }.min()
    }

    private func start(_ id: Int64) {
        guard flights[id] == nil else { return }
        pacing.begin(id)
        flightCount += 1
        flights[id] = Flight(number: flightCount, start: pacing.start)
        Task {
            do throws(OutboxError) {
                try await process(id)
                pacing.fileSucceeded()
            } catch {
                pacing.fileFailed(error, now: clock.now())
            }
            flights[id] = nil
            changed()
        }
    }

    /// Does what is next for an entry: sends it, stores its answer, calls its handler, and removes it.
    private func process(_ id: Int64) async throws(OutboxError) {
        if handled.contains(id) { return try await finish(id) }
        guard var row = try await store.perform({ try $0.row(id) }) else { return forget(id) }
        guard account.visible.contains(row.account) else { return }
        flights[id]?.account = row.account
        let folder = store.folder(row.folder ?? UUID().uuidString)
        guard let job = job(of: &row, in: folder) else { return try await save(row) }
        var answer: Answer
        if let unsaved = answers[id] {
            answer = unsaved
        } else if row.state == .answered {
            let read = row
            let data = try await store.perform { try $0.part(.answer, of: read) }
            answer = data.flatMap { try? PropertyListDecoder().decode(Answer.self, from: $0) } ?? Answer(.lost)
            answer = answer.collected(from: folder)
        } else if let early = earlyAnswer(to: row, job) {
            answer = early
        } else {
            guard let sent = try await send(&row, job, in: folder) else { return }
            answer = sent
        }
        flights[id]?.isCalling = false
        changed()
        let isRepeated = row.state == .answered
        if !isRepeated { try await save(answer, of: &row, in: folder) }
        // After a change of account, the handler waits until the account is used again.
        guard account.visible.contains(row.account) else { return }
        try await handle(&row, answer, job, isRepeated: isRepeated)
    }

    /// Returns the job of an entry. Sets aside what can't be read.
    private func job(of row: inout EntryRow, in folder: EntryFolder) -> (any OutboxJob)? {
        do {
            guard let data = row.request else { throw OutboxError(.unusable, "The stored request is damaged.") }
            guard let kind = kind(named: row.kind) else {
                throw OutboxError(.unknownKind, "The app has no kind \"\(row.kind)\".")
            }
            return try kind.job(data, folder)
        } catch {
            row.setAside((error as? OutboxError)?.description ?? "The stored request can't be read as \(row.kind).")
            row.isUnreadable = true
            return nil
        }
    }

    /// Returns the answer of an entry that must not be sent, or `nil`.
    private func earlyAnswer(to row: EntryRow, _ job: any OutboxJob) -> Answer? {
        if let expiry = row.expiry, expiry <= clock.date() {
            var answer = Answer(.expired)
            answer.limit = max(expiry.timeIntervalSince(row.added), 0)
            answer.mayHaveReachedServer = row.reached
            return answer
        }
        return row.reached && job.isAtMostOnce ? Answer(.unknown) : nil
    }

    /// Sends an entry. Returns its answer, or `nil` if it is to be sent again.
    private func send(
        _ row: inout EntryRow, _ job: any OutboxJob, in folder: EntryFolder
    ) async throws(OutboxError) -> Answer? {
        let id = row.id
        let before = row
        guard let body = try await body(of: &row, job, in: folder) else {
            try await save(row)
            return nil
        }
        row.attempts += 1
        row.reached = true
        // Another call may have failed meanwhile.
        guard let flight = flights[id], !flight.isStopped, pacing.pause == nil else {
            try await save(before)
            return nil
        }
        let (entry, client, date) = (row.entry, client, clock.date)
        let call = Task { await job.send(entry, body, in: folder, by: client, now: date) }
        flights[id]?.call = call
        let attempt = await call.value
        // A server that asks for a sign-in has done nothing, so even a request that is sent once is sent again.
        let isRefused = if case .pause(.signedOut, _) = attempt.verdict { job.isAtMostOnce } else { false }
        row.reached = before.reached || attempt.reached && !isRefused
        return try await conclude(attempt, of: &row, job, since: flight.start)
    }

    /// Returns the bytes of the body, and marks the call as begun. Returns `nil` if the entry is gone. Sets it aside if
    /// its body can't be encoded.
    private func body(
        of row: inout EntryRow, _ job: any OutboxJob, in folder: EntryFolder
    ) async throws(OutboxError) -> StoredBody? {
        let read = row
        if row.reached, let data = try await store.perform({ try $0.part(.body, of: read) }),
            let stored = try? PropertyListDecoder().decode(StoredBody.self, from: data)
        {
            return try await store.perform { try $0.begin(read, body: nil) } ? stored : nil
        }
        let body: StoredBody
        let sealed: Sealed
        do {
            body = try await job.body(in: folder)
            sealed = Sealed(try PropertyListEncoder.binary.encode(body), .body, of: row.identity)
        } catch {
            row.setAside("The body can't be encoded: \(error.localizedDescription)")
            row.isUnreadable = true
            return nil
        }
        if folder.isUsed { row.folder = folder.url.lastPathComponent }
        let begun = row
        return try await store.perform { try $0.begin(begun, body: sealed) } ? body : nil
    }

    /// Applies the verdict on a call. Returns the answer of the entry, if it has one.
    private func conclude(
        _ attempt: OutboxAttempt, of row: inout EntryRow, _ job: any OutboxJob, since start: Pacing.Start
    ) async throws(OutboxError) -> Answer? {
        let now = clock.now()
        switch attempt.verdict {
        case .final(let answer):
            pacing.succeeded()
            return answer
        case .pause(let reason, let atLeast):
            pacing.failed(reason, atLeast: atLeast, since: start, now: now)
        case .serverError(let note):
            pacing.serverError(since: start, now: now)
            row.errors += 1
            row.note = note
            pacing.wait(row.id, after: row.errors, now: now)
            if row.errors >= limits.serverErrors { row.setAside(note) }
        case .unreadable(let note):
            row.setAside(note)
            row.isUnreadable = true
        case .again: break
        }
        if row.reached, job.isAtMostOnce, row.state == .waiting {
            return attempt.response.map { Answer($0) } ?? Answer(.unknown)
        }
        // The rest is in the file since the call has begun.
        if !row.reached || row.note != nil { try await save(row) }
        return nil
    }

    private func save(_ row: EntryRow) async throws(OutboxError) {
        try await store.perform { try $0.update(row) }
    }

    /// Stores an answer. What can't be stored now isn't asked for again.
    private func save(_ answer: Answer, of row: inout EntryRow, in folder: EntryFolder) async throws(OutboxError) {
        answers[row.id] = answer
        let kept = (try? await store.copying { try answer.spilled(to: folder) }) ?? Answer(.lost)
        if folder.isUsed { row.folder = folder.url.lastPathComponent }
        let answered = row
        try await store.perform { file in
            let data = try PropertyListEncoder.binary.encode(kept)
            try file.answer(answered, with: Sealed(data, .answer, of: answered.identity))
        }
        answers[row.id] = nil
        row.state = .answered
        row.handled = 1
    }

    /// Calls the handler, and removes the entry.
    private func handle(
        _ row: inout EntryRow, _ answer: Answer, _ job: any OutboxJob, isRepeated: Bool
    ) async throws(OutboxError) {
        // Counted before, since a handler may end the process. Storing the answer has counted the first time.
        if isRepeated {
            row.handled += 1
            if row.handled > Self.handlerLimit { row.setAside(row.note ?? "The handler has ended the process.") }
            try await save(row)
            if row.state == .setAside { return }
        }
        let entry = row.entry
        let failure: (any Error)? = await Self.$handling.withValue(Self.handling.union([ObjectIdentifier(self)])) {
            do {
                try await job.handle(entry, answer)
                return nil
            } catch {
                return error
            }
        }
        guard let failure else { return try await finish(row.id) }
        row.note = "The handler has failed: \(type(of: failure))."
        pacing.wait(row.id, after: row.handled, now: clock.now())
        if row.handled >= Self.handlerLimit { row.setAside(row.note) }
        try await save(row)
    }

    /// The number of times that a handler is called.
    private static var handlerLimit: Int { 5 }

    /// Removes an entry that is done.
    private func finish(_ id: Int64) async throws(OutboxError) {
        handled.insert(id)
        if let folder = try await store.perform({ try $0.remove(id) })?.folder { store.folder(folder).remove() }
        hasRemoved = true
        forget(id)
    }
}

extension EntryRow {
    fileprivate mutating func setAside(_ note: String?) {
        state = .setAside
        self.note = note
    }
}

extension PropertyListEncoder {
    fileprivate static var binary: PropertyListEncoder {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }
}
