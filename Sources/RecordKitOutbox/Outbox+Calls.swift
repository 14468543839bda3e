import Foundation
import RecordKit

/// What a handler gets.
struct UnhandledEntry: Sendable {
    let entry: OutboxEntry
    let job: any OutboxJob
    let result: StoredResult
}

/// The result of an entry, before it is stored.
struct ReceivedResult: Sendable {
    let result: StoredResult
    /// Whether it is the answer of a server.
    var isAnswer = false
}

// Calls.
extension Outbox {
    /// Returns an entry with its result, which is stored. Sends the request if there is none yet.
    ///
    /// - Returns: `nil` if there is nothing to handle now.
    func result(
        of due: QueuePlan.Due, isEager: Bool, since start: Pacing.Start
    ) async throws -> UnhandledEntry? {
        let id = due.id
        if handled.contains(id) {
            try await finish(id)
            return nil
        }
        guard let kind = kinds.first(where: { $0.names.contains(due.kind) }) else { return nil }
        guard let row = try await store.perform({ try $0.row(id) }) else {
            forget(id)
            return nil
        }
        let folder = store.folder(row.folder)
        guard let data = row.request, let job = try? kind.job(data, folder) else {
            let fault = row.request == nil ? "is damaged" : "can't be read as \(row.kind)"
            try await store.perform { try $0.setAside(id, "The stored request \(fault).") }
            return nil
        }
        if row.state == .unhandled {
            return try await storedResult(of: row, in: folder).map {
                UnhandledEntry(entry: row.entry, job: job, result: $0)
            }
        }
        var received = received[id] ?? earlyResult(of: row, job)
        if received == nil {
            received = try await send(row, job, kind, due, in: folder, isEager: isEager, since: start)
        }
        guard let received else { return nil }
        let hasPlace = takeHandlerPlace(id)
        guard let stored = try await save(received, of: row, kind, in: folder, isHandled: hasPlace), hasPlace else {
            return nil
        }
        return UnhandledEntry(entry: stored.entry, job: job, result: received.result)
    }

    /// Returns the result of an entry that must not be sent, or `nil`.
    private func earlyResult(of row: EntryRow, _ job: any OutboxJob) -> ReceivedResult? {
        if let expiry = row.expiry, expiry <= clock.date() { return ReceivedResult(result: StoredResult(.expired)) }
        return row.reached && job.isAtMostOnce ? ReceivedResult(result: StoredResult(.unknown)) : nil
    }

    /// Sends an entry. Returns its result, or `nil` if it is to be sent again.
    private func send(
        _ row: EntryRow, _ job: any OutboxJob, _ kind: OutboxKind, _ due: QueuePlan.Due, in folder: EntryFolder,
        isEager: Bool, since start: Pacing.Start
    ) async throws -> ReceivedResult? {
        let id = row.id
        guard let body = try await body(of: row, in: folder) else { return nil }
        // Another call may have failed meanwhile.
        if Task.isCancelled || !pacing.allowsCall(isEager: isEager) { return nil }
        guard let begun = try await store.perform({ try $0.begin(id) }) else { return nil }
        let attempt = await job.send(
            begun.entry, body, conflicts: row.reached ? row.conflicts : nil, in: folder, by: client,
            now: clock.date())
        let now = clock.now()
        var isReached = row.reached || attempt.reached
        switch attempt.verdict {
        case .answered(let result):
            answered(due)
            return ReceivedResult(result: result, isAnswer: true)
        case _ where Task.isCancelled:
            let reached = isReached
            try await store.perform { try $0.refuse(id, isReached: reached, nil) }
        case .notNow(let trouble):
            // A server that refuses the token has changed nothing. So even a request that may be sent once is repeated.
            if trouble.pause == .signedOut, job.isAtMostOnce { isReached = false }
            pacing.refused(trouble, since: start, now: now)
            if trouble.pause != .serverBusy { trials = [:] }
            let (reached, note) = (isReached, note(trouble.text, begun))
            try await store.perform { try $0.refuse(id, isReached: reached, note) }
        case .failed(let trouble) where job.isAtMostOnce && isReached:
            // The next one could be lost, too.
            pacing.refused(trouble, since: start, now: now)
        case .failed(let trouble): try await failed(begun, kind, due, trouble, since: start)
        case .unsendable(let text):
            let reached = isReached
            try await store.perform {
                try $0.refuse(id, isReached: reached, nil)
                try $0.setAside(id, text)
            }
        }
        guard isReached, job.isAtMostOnce else { return nil }
        return ReceivedResult(result: attempt.response.map { StoredResult($0) } ?? StoredResult(.unknown))
    }

    private func note(_ text: String, _ row: EntryRow) -> String {
        "Attempt \(row.attempts), \(clock.date().formatted(.iso8601)): \(text)"
    }

    /// Returns the stored body, or sets the entry aside if it can't be sent.
    private func body(of row: EntryRow, in folder: EntryFolder) async throws -> StoredBody? {
        let bytes = try await store.perform { try $0.content(of: row.id) }
        let body: StoredBody? = bytes.flatMap { Sealed.decode($0, .body, of: row.identity) }
        var fault = "The stored body is damaged."
        do {
            if let body {
                try body.check(in: folder)
                return body
            }
        } catch {
            fault = error.description
        }
        let note = fault
        try await store.perform { try $0.setAside(row.id, note) }
        return nil
    }
}

// Outcomes.
extension Outbox {
    private func answered(_ due: QueuePlan.Due) {
        pacing.answered()
        trials[due.id] = nil
        guard let head = due.head, var trial = trials[head] else { return }
        (trial.isHeadNext, trial.hasAnswer) = (true, true)
        // One that has failed a moment ago wasn't bad, so the server isn't well yet.
        trials[head] = trial.failed.contains(due.id) ? nil : trial
        pacing.hurry(head)
    }

    private func failed(
        _ row: EntryRow, _ kind: OutboxKind, _ due: QueuePlan.Due, _ trouble: Verdict.Trouble,
        since start: Pacing.Start
    ) async throws {
        let (id, name, limit, note) = (row.id, kind.name, limits.failures, note(trouble.text, row))
        let isTrial = trials[id] != nil
        let failure = try await store.perform {
            try $0.fail(id, kind: name, note, limit: limit, isConflict: trouble.isConflict, isTrial: isTrial)
        }
        guard let (counts, isAside) = failure else { return }
        pacing.failed(id, after: counts.failures, trouble, since: start, now: clock.now())
        if let head = due.head {
            // Several bad ones may be in a row. One that fails after an answer says that the server isn't well yet.
            let isExpected = trials[head].map { !$0.hasAnswer || $0.failed.contains(id) } ?? false
            if isExpected, counts.failures > 1 {
                trials[head]?.failed.insert(id)
                trials[head]?.last = id
            } else {
                trials[head] = nil
            }
        } else if isTrial, !isAside {
            trials[id]?.last = id
            trials[id]?.isHeadNext = false
        } else {
            trials[id] = !isAside && counts.needsTrial(limit) ? Trial(last: id) : nil
        }
        if isAside { pacing.forget(id) }
    }
}
