/// Sorts what is to be printed.
///
/// Holds some thousands of strings in memory. Keeps more in a temporary database without a name, which SQLite deletes
/// when it is closed. So memory stays small for any number.
struct LineSorter {
    private struct Entry {
        let keys: [String?]
        let id: String
        let text: String
    }

    /// Whether each key is in descending order.
    private let directions: [Bool]
    /// The maximum number of strings to return.
    private let limit: Int
    private let capacity: Int
    private var entries: [Entry] = []
    private var spilled: SortedTable?

    /// - Parameter capacity: The number of strings in memory.
    init(directions: [Bool], limit: Int?, capacity: Int = 5_000) {
        self.directions = directions
        self.limit = limit ?? .max
        self.capacity = capacity
    }

    /// - Parameters:
    ///   - keys: The strings to sort by, in the order of their UTF-8.
    ///   - id: Decides where the keys are equal.
    mutating func add(_ keys: [String?], _ id: String, _ text: String) throws {
        entries.append(Entry(keys: keys, id: id, text: text))
        guard entries.count >= capacity else { return }
        if limit <= capacity / 2 {
            sortEntries()
        } else {
            try spill()
        }
    }

    /// Ends the adding. Call it before ``next()``.
    mutating func finish() throws {
        guard spilled != nil else {
            sortEntries()
            entries.reverse()
            return
        }
        try spill()
        try spilled?.sort(limit: limit)
    }

    /// Returns the next string in order with its id, or `nil` at the end.
    mutating func next() throws -> (id: String, text: String)? {
        guard let spilled else { return entries.popLast().map { ($0.id, $0.text) } }
        return try spilled.next()
    }

    private mutating func sortEntries() {
        entries.sort(by: precedes)
        entries.removeLast(max(0, entries.count - limit))
    }

    private mutating func spill() throws {
        let table = try spilled ?? SortedTable(directions: directions)
        spilled = table
        for entry in entries { try table.add(entry.keys, entry.id, entry.text) }
        entries.removeAll(keepingCapacity: true)
    }

    /// Compares by the keys, then by id. A missing key comes last in both directions.
    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        for (index, isDescending) in directions.enumerated() {
            let (a, b) = (one.keys[index], other.keys[index])
            if a == b { continue }
            guard let a, let b else { return b == nil }
            return isDescending ? a > b : a < b
        }
        return one.id.unicodeScalars.lexicographicallyPrecedes(other.id.unicodeScalars)
    }
}

/// The temporary database of a ``LineSorter``.
private final class SortedTable {
    private let database: SQLiteDatabase
    private let insert: SQLiteStatement
    private let order: String
    private var rows: SQLiteStatement?

    init(directions: [Bool]) throws {
        database = try SQLiteDatabase(file: "")
        let keys = directions.indices.map { "key\($0) TEXT, " }.joined()
        // Nothing has to survive a crash.
        try database.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA temp_store = FILE;
            PRAGMA cache_size = -4000;
            CREATE TABLE entries (\(keys)id TEXT NOT NULL, text TEXT NOT NULL);
            BEGIN;
            """)
        let places = directions.map { _ in "?, " }.joined()
        insert = try database.statement("INSERT INTO entries VALUES (\(places)?, ?)")
        order =
            zip(directions.indices, directions).map { "key\($0) IS NULL, key\($0)\($1 ? " DESC" : ""), " }.joined()
            + "id"
    }

    func add(_ keys: [String?], _ id: String, _ text: String) throws {
        try insert.run(keys.map { $0.map { .text($0) } ?? .null } + [.text(id), .text(text)])
    }

    func sort(limit: Int) throws {
        try database.execute("COMMIT")
        rows = try database.statement("SELECT id, text FROM entries ORDER BY \(order) LIMIT ?")
        try rows?.start([.integer(Int64(limit))])
    }

    func next() throws -> (id: String, text: String)? {
        guard let rows, try rows.step() else { return nil }
        return (rows.text(0), rows.text(1))
    }
}
