import Foundation
import RecordKitSQLite

/// Copies the rows of a damaged file that can be read.
struct QueueRescue {
    private let source: SQLiteDatabase
    private let target: QueueFile

    init(from source: SQLiteDatabase, to target: QueueFile) {
        self.source = source
        self.target = target
    }

    /// Copies each row by itself: the search for a row leads around the damaged pages of others.
    func copyRows() throws {
        let last = (try? source.statement("SELECT seq FROM sqlite_sequence").first { $0.integer(0) }) ?? nil
        var id: Int64 = 0
        while let next = next(after: id, last: last) {
            id = next
            guard
                let row = try? source.statement("SELECT \(EntryRow.columns) FROM entries NOT INDEXED WHERE id = ?")
                    .first([.integer(id)], { EntryRow($0) })
            else { continue }
            // A row that is damaged itself is kept, and set aside when it is tried.
            guard (try? target.insert(row)) != nil else { continue }
            for (table, column) in [("bodies", "body"), ("answers", "answer")] {
                let part = try? source.statement("SELECT \(column) FROM \(table) WHERE id = ?")
                    .first([.integer(id)]) { $0.data(0) }
                guard let part = part ?? nil else { continue }
                try target.database.run("INSERT INTO \(table) VALUES (?, ?)", .integer(id), .data(part))
            }
        }
        // An identifier isn't used again.
        if let last { try target.database.run("UPDATE sqlite_sequence SET seq = max(seq, ?)", .integer(last)) }
    }

    /// Returns the next identifier. Behind damaged pages, tries one after the other up to the last.
    private func next(after id: Int64, last: Int64?) -> Int64? {
        do {
            return try source.statement("SELECT id FROM entries NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1")
                .first([.integer(id)]) { $0.integer(0) }
        } catch {
            return last.flatMap { id < $0 ? id + 1 : nil }
        }
    }
}
