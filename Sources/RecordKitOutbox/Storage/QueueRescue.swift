import RecordKitSQLite

/// Copies the rows of a damaged file that can be read.
struct QueueRescue {
    private static let columns = """
        id, key, kind, lane, account, added, expiry, folder, size, request, unhandled, aside, attempts, failures,
        silent, counted, conflicts, reached, note, content
        """
    /// The largest gap of identifiers in which rows are searched.
    private static let largestGap: Int64 = 1_000_000

    /// Lets SQLite pass over a statement of the schema that can't be read, and open a file that was cut.
    static let tolerance = "PRAGMA writable_schema = ON"

    private let target: SQLiteDatabase

    /// - Parameters:
    ///   - file: The path of a copy of the damaged file. Its schema is replaced.
    ///   - target: A temporary database with the tables of an outbox.
    init(from file: String, to target: SQLiteDatabase) throws {
        self.target = target
        let copy = try SQLiteDatabase(file: file)
        try copy.execute(Self.tolerance)
        for (row, values) in try QueueFile.schemaRows(of: target) {
            try? copy.run(
                """
                UPDATE sqlite_schema SET type = ?2, name = ?3, tbl_name = ?4, sql = ?5
                WHERE rowid = ?1 AND (type, name, tbl_name, sql) IS NOT (?2, ?3, ?4, ?5)
                """, .integer(row), values[0], values[1], values[2], values[3])
        }
        try target.execute(Self.tolerance)
        try target.run("ATTACH ? AS damaged", .text(file))
    }

    /// Copies each row by itself: the search for a row leads around the damaged pages of others.
    ///
    /// - Returns: The number of rows, and that of the rows that are lost, if the file says how many it had.
    func copyRows() throws -> (kept: Int, lost: Int?) {
        // An identifier that is wrong itself leads past others, in one direction.
        let first = walk(from: 0, "> ? ORDER BY id") { $0 < $1 }
        let last = walk(from: .max, "< ? ORDER BY id DESC") { $0 > $1 }
        let greatest = try number("SELECT max(id) FROM main.entries") ?? 0
        // An identifier isn't used again.
        var end = (try? number("SELECT seq FROM damaged.sqlite_sequence WHERE name = 'entries'")) ?? nil
        if end.map({ $0 < greatest || $0 - Self.largestGap > greatest }) ?? true { end = nil }
        if !first.isAtEnd || !last.isAtEnd {
            let gap = (first.id + 1)..<max(first.id + 1, last.id == .max ? (end ?? 0) + 1 : last.id)
            for id in gap.suffix(Int(Self.largestGap)) { copy(id) }
        }
        try target.run("DELETE FROM main.sqlite_sequence")
        try target.run(
            "INSERT INTO main.sqlite_sequence VALUES ('entries', ?)", .integer(end ?? greatest + Self.largestGap))
        let kept = try number("SELECT count(*) FROM main.entries") ?? 0
        let total = (try? number("SELECT total(waiting + aside) FROM damaged.totals")) ?? nil
        return (Int(kept), total.flatMap { $0 >= kept ? Int($0 - kept) : nil })
    }

    /// Copies rows in order, up to a damaged page.
    private func walk(
        from start: Int64, _ condition: String, _ isInOrder: (Int64, Int64) -> Bool
    ) -> (id: Int64, isAtEnd: Bool) {
        var id = start
        while true {
            do {
                let next = try number("SELECT id FROM damaged.entries NOT INDEXED WHERE id \(condition) LIMIT 1", id)
                guard let next else { return (id, true) }
                // A page in the place of another one would lead back for ever.
                guard isInOrder(id, next) else { return (id, false) }
                copy(next)
                id = next
            } catch {
                return (id, false)
            }
        }
    }

    private func number(_ sql: String, _ values: Int64...) throws -> Int64? {
        try target.statement(sql).first(values.map { .integer($0) }) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
    }

    /// Copies a row. One that is damaged itself is kept, and set aside when it is tried.
    private func copy(_ id: Int64) {
        try? target.run(
            """
            INSERT INTO main.entries (\(Self.columns))
            SELECT \(Self.columns) FROM damaged.entries NOT INDEXED WHERE id = ?
            """, .integer(id))
    }
}
