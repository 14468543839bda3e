import RecordKitSQLite

/// Copies the rows of a damaged file that can be read.
struct QueueRescue {
    private static let columns = """
        id, key, kind, lane, account, added, expiry, folder, size, request, answered, aside, attempts, failures, reached,
        note, content
        """

    private let target: SQLiteDatabase

    /// - Parameters:
    ///   - file: The path of the damaged file.
    ///   - target: A temporary database with the tables of an outbox.
    init(from file: String, to target: SQLiteDatabase) throws {
        self.target = target
        try target.run("ATTACH ? AS damaged", .text(file))
    }

    /// Copies each row by itself: the search for a row leads around the damaged pages of others.
    func copyRows() throws {
        let last = (try? target.statement("SELECT seq FROM damaged.sqlite_sequence").first { $0.integer(0) }) ?? nil
        var id: Int64 = 0
        while let next = next(after: id, last: last) {
            id = next
            // A row that is damaged itself is kept, and set aside when it is tried.
            try? target.run(
                """
                INSERT INTO main.entries (\(Self.columns))
                SELECT \(Self.columns) FROM damaged.entries NOT INDEXED WHERE id = ?
                """, .integer(id))
        }
        // An identifier isn't used again.
        if let last { try target.run("UPDATE main.sqlite_sequence SET seq = max(seq, ?)", .integer(last)) }
    }

    /// Returns the next identifier. Behind damaged pages, tries one after the other up to the last.
    private func next(after id: Int64, last: Int64?) -> Int64? {
        do {
            return try target.statement("SELECT id FROM damaged.entries NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1")
                .first([.integer(id)]) { $0.integer(0) }
        } catch {
            return last.flatMap { id < $0 ? id + 1 : nil }
        }
    }
}
