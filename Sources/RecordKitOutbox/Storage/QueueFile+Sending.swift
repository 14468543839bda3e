import Foundation
import RecordKitSQLite

/// What is to be done next.
struct QueuePlan: Sendable {
    struct Due: Sendable {
        let id: Int64
        let account: String
        let lane: String
        let kind: String
        let attempts: Int
        let failures: Int
        let isUnhandled: Bool
        /// The head of the lane that this one is tried before.
        var head: Int64?

        static let columns = "id, account, lane, kind, attempts, failures, unhandled"

        init(_ row: SQLiteStatement) {
            (id, account, lane, kind) = (row.integer(0), row.text(1), row.text(2), row.text(3))
            (attempts, failures, isUnhandled) = (Int(row.integer(4)), Int(row.integer(5)), row.integer(6) != 0)
        }
    }

    /// Entries that have their result, or whose expiry has passed.
    var results: [Due] = []
    /// The heads of lanes to send. Those with the fewest attempts come first, so that one that fails holds up no other.
    var heads: [Due] = []
    /// The next expiry.
    var expiry: Date?
}

// What is due.
extension QueueFile {
    /// Returns what to do next.
    ///
    /// - Parameters:
    ///   - accounts: The accounts whose entries are sent.
    ///   - known: The names of the kinds. Entries of others are passed over, as if they were set aside.
    ///   - now: The date for expiries.
    ///   - limit: The maximum number of heads and of results of each account.
    ///   - isBusy: Whether an entry is being sent, or waits after a failure.
    func plan(
        for accounts: Set<String>, known: Set<String>, now: Date, limit: Int, isBusy: (QueuePlan.Due) -> Bool
    ) throws -> QueuePlan {
        func due(_ account: String, _ condition: String, _ values: SQLiteValue...) throws -> [QueuePlan.Due] {
            try entries(of: account, condition, values, limit: limit) { known.contains($0.kind) && !isBusy($0) }
        }
        let date = SQLiteValue.real(now.timeIntervalSince1970)
        var plan = QueuePlan()
        for account in accounts {
            plan.results += try due(account, "unhandled = 1 AND aside = 0 ORDER BY id")
            plan.results += try due(account, "unhandled = 0 AND aside = 0 AND expiry <= ? ORDER BY expiry", date)
            plan.heads += try due(account, "head = 1 AND unhandled = 0 ORDER BY attempts, id")
            plan.heads += try headsBehindUnknown(account, known).filter { !isBusy($0) }
            let next = try database.statement(
                "SELECT min(expiry) FROM entries WHERE account = ? AND unhandled = 0 AND aside = 0 AND expiry > ?"
            ).first([.text(account), date]) { $0.isNull(0) ? nil : Date(timeIntervalSince1970: $0.real(0)) }
            plan.expiry = [plan.expiry, next ?? nil].compactMap { $0 }.min()
        }
        plan.heads.sort { ($0.attempts, $0.id) < ($1.attempts, $1.id) }
        return plan
    }

    /// Returns the first entry of a known kind in each lane whose head has another kind.
    private func headsBehindUnknown(_ account: String, _ known: Set<String>) throws -> [QueuePlan.Due] {
        let kinds = try database.statement("SELECT kind FROM totals WHERE account = ?")
            .all([.text(account)]) { $0.text(0) }
        if kinds.allSatisfy(known.contains) { return [] }
        let lanes = try database.statement(
            "SELECT DISTINCT lane, kind FROM entries WHERE account = ? AND head = 1"
        ).all([.text(account)]) { known.contains($0.text(1)) ? nil : $0.text(0) }.compactMap { $0 }
        return try lanes.compactMap { lane in
            let first = try entries(of: account, Self.ofLane, [.text(lane), .integer(0)], limit: 1) {
                known.contains($0.kind)
            }
            return first.first { !$0.isUnhandled }
        }
    }

    func due(_ id: Int64) throws -> QueuePlan.Due? {
        try database.statement("SELECT \(QueuePlan.Due.columns) FROM entries WHERE id = ? AND aside = 0")
            .first([.integer(id)]) { QueuePlan.Due($0) }
    }

    /// The condition for the entries of a lane behind another one.
    private static let ofLane = "lane = ? AND aside = 0 AND id > ? ORDER BY id"

    private func entries(
        of account: String, _ condition: String, _ values: [SQLiteValue], limit: Int,
        where isMeant: (QueuePlan.Due) -> Bool
    ) throws -> [QueuePlan.Due] {
        let statement = try database.statement(
            "SELECT \(QueuePlan.Due.columns) FROM entries WHERE account = ? AND \(condition)")
        try statement.start([.text(account)] + values)
        defer { statement.reset() }
        var found: [QueuePlan.Due] = []
        while found.count < limit, try statement.step() {
            let next = QueuePlan.Due(statement)
            if isMeant(next) { found.append(next) }
        }
        return found
    }

    /// Returns the entry to try before the head of its lane, of the 16 behind it. `nil` if there is none, or if the
    /// lane waits for a handler.
    ///
    /// - Parameters:
    ///   - last: The entry behind which to go on.
    ///   - kinds: The names of the kinds that are meant.
    ///   - mayTry: Whether an entry may be tried now.
    func candidate(
        behind head: QueuePlan.Due, after last: Int64, kinds: Set<String>, mayTry: (Int64) -> Bool
    ) throws -> QueuePlan.Due? {
        let found = try entries(of: head.account, Self.ofLane, [.text(head.lane), .integer(head.id)], limit: 16) {
            kinds.contains($0.kind)
        }
        if found.contains(where: \.isUnhandled) { return nil }
        var next = found.first { $0.id > last && mayTry($0.id) }
        next?.head = head.id
        return next
    }
}

// Calls and handlers.
extension QueueFile {
    /// Marks a call as begun. From now on the server may have received it. Returns `nil` if the entry is gone.
    func begin(_ id: Int64) throws -> EntryRow? {
        try change(id, "attempts = attempts + 1, reached = 1")
    }

    /// Notes that a call had no answer, and isn't counted as a failure.
    ///
    /// - Parameters:
    ///   - isReached: Whether a server may have received the request, in this or an earlier attempt.
    ///   - note: What has happened, or `nil` if the outbox has cancelled the call.
    func refuse(_ id: Int64, isReached: Bool, _ note: String?) throws {
        try database.run(
            "UPDATE entries SET reached = ?2, note = ifnull(?3, note) WHERE id = ?1", .integer(id),
            .integer(isReached ? 1 : 0), note.map { .text($0) } ?? .null)
    }

    /// Counts a failure. Sets the entry aside if enough of them count as its own.
    ///
    /// - Returns: The counts, and whether it is set aside. `nil` if the entry is gone.
    func fail(
        _ id: Int64, kind: String, _ note: String, limit: Int, isConflict: Bool, isTrial: Bool
    ) throws -> (counts: FailureCounts, isAside: Bool)? {
        try database.transaction(.write) {
            let found = try database.statement("SELECT failures, silent, counted, seen FROM entries WHERE id = ?")
                .first([.integer(id)]) { row in
                    (
                        FailureCounts(
                            failures: Int(row.integer(0)), silent: Int(row.integer(1)), counted: Int(row.integer(2))),
                        row.isNull(3) ? nil : row.integer(3)
                    )
                }
            guard case (var counts, let seen)? = found else { return nil }
            let last = try latestResponse(to: counts.isLong(limit) ? nil : kind)
            counts.fail(limit: limit, othersAnswered: seen.map { last > $0 } ?? false, isTrial: isTrial)
            let isAside = counts.counted >= max(limit, 1)
            try database.run(
                """
                UPDATE entries SET failures = ?2, silent = ?3, counted = ?4, seen = ?5, aside = ?6, note = ?7,
                    conflicts = (conflicts + 1) * ?8 WHERE id = ?1
                """, .integer(id), .integer(Int64(counts.failures)), .integer(Int64(counts.silent)),
                .integer(Int64(counts.counted)), .integer(try latestResponse(to: nil)), .integer(isAside ? 1 : 0),
                .text(note), .integer(isConflict ? 1 : 0))
            return (counts, isAside)
        }
    }

    /// Returns the number of the latest response to a kind, or to any. Responses are numbered in order.
    private func latestResponse(to kind: String?) throws -> Int64 {
        try database.statement("SELECT ifnull(max(number), 0) FROM responses WHERE ?1 IS NULL OR kind = ?1")
            .first([kind.map { .text($0) } ?? .null]) { $0.integer(0) } ?? 0
    }

    /// Stores the result of an entry in place of its body.
    ///
    /// - Parameters:
    ///   - result: The bytes, or `nil` if they are in a file.
    ///   - kind: The kind, if a server has answered.
    ///   - calls: The number of calls of the handler, with the one that begins now.
    /// - Returns: The entry, or `nil` if it is gone.
    func store(_ result: Data?, of id: Int64, kind: String?, calls: Int64) throws -> EntryRow? {
        try database.transaction(.write) {
            if let kind {
                try database.run(
                    "INSERT OR REPLACE INTO responses VALUES (?, ?)", .text(kind),
                    .integer(try latestResponse(to: nil) + 1))
            }
            return try change(
                id, "unhandled = 1, failures = ?2, note = NULL, content = ?3", .integer(calls),
                result.map { .data($0) } ?? .null)
        }
    }

    private func change(_ id: Int64, _ changes: String, _ values: SQLiteValue...) throws -> EntryRow? {
        try database.statement("UPDATE entries SET \(changes) WHERE id = ?1 RETURNING \(EntryRow.columns)")
            .all([.integer(id)] + values) { EntryRow($0) }.first
    }

    /// Counts calls of the handler, and sets the entry aside if there are as many as the limit. Returns their number.
    func countCalls(_ calls: Int64, of id: Int64, _ note: String, limit: Int) throws -> Int {
        try database.statement(
            """
            UPDATE entries SET failures = failures + ?2, aside = (failures + ?2 >= ?3), note = ?4 WHERE id = ?1
            RETURNING failures
            """
        ).all([.integer(id), .integer(calls), .integer(Int64(limit)), .text(note)]) { Int($0.integer(0)) }.first ?? 0
    }

    /// Sets aside an entry until the next start, since the next version of the app may be able to send it.
    func setAside(_ id: Int64, _ note: String) throws {
        try database.run("UPDATE entries SET aside = 2, note = ? WHERE id = ?", .text(note), .integer(id))
    }

    private static let revival = """
        UPDATE entries SET aside = 0, failures = 0, silent = 0, counted = 0, conflicts = 0, seen = NULL, note = NULL
        """

    /// Lets entries be tried again that are set aside: one, or all.
    func revive(_ id: Int64?) throws {
        try database.run(
            "\(Self.revival) WHERE aside > 0 AND (?1 IS NULL OR id = ?1)", id.map { .integer($0) } ?? .null)
    }

    /// Lets entries be tried again that were set aside until the next start.
    func reviveUnreadable() throws {
        try database.run("\(Self.revival) WHERE aside > 0 AND aside = 2")
    }
}
