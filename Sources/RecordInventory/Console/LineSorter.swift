import RecordKitSQLite

/// Sorts what is to be printed, in a temporary database without a name.
///
/// SQLite holds 4 MB of it in memory, and deletes its file when it is closed. So memory stays small for any number.
struct LineSorter {
    private let database: SQLiteDatabase
    private let insert: SQLiteStatement
    private let rows: SQLiteStatement
    private let removal: SQLiteStatement
    private let limit: Int
    /// The number of strings above which only the first ones are kept.
    private let capacity: Int
    private var count = 0

    /// - Parameters:
    ///   - directions: Whether each key is in descending order.
    ///   - limit: The maximum number of strings to return.
    init(directions: [Bool], limit: Int?, capacity: Int = 10_000) throws {
        self.limit = limit ?? .max
        self.capacity = capacity
        let keys = directions.indices.map { "key\($0) TEXT, " }.joined()
        database = try SQLiteDatabase.temporary(
            "CREATE TABLE entries (\(keys)id TEXT NOT NULL, text TEXT NOT NULL);", cacheSize: 4_000)
        let places = directions.map { _ in "?, " }.joined()
        // A missing key comes last in both directions.
        let order = directions.enumerated().map { "key\($0) IS NULL, key\($0)\($1 ? " DESC" : ""), " }.joined() + "id"
        insert = try database.statement("INSERT INTO entries VALUES (\(places)?, ?)")
        rows = try database.statement("SELECT id, text FROM entries ORDER BY \(order) LIMIT ?")
        removal = try database.statement(
            "DELETE FROM entries WHERE rowid NOT IN (SELECT rowid FROM entries ORDER BY \(order) LIMIT ?)")
    }

    /// - Parameters:
    ///   - keys: The strings to sort by, in the order of their UTF-8.
    ///   - id: Decides where the keys are equal.
    mutating func add(_ keys: [String?], _ id: String, _ text: String) throws {
        try insert.run(keys.map { $0.map { .text($0) } ?? .null } + [.text(id), .text(text)])
        count += 1
        guard count >= capacity, limit <= capacity / 2 else { return }
        try removal.run([.integer(Int64(limit))])
        count = limit
    }

    /// Ends the adding. Call it before ``next()``.
    func finish() throws {
        try rows.start([.integer(Int64(limit))])
    }

    /// Returns the next string in order with its id, or `nil` at the end.
    func next() throws -> (id: String, text: String)? {
        try rows.step() ? (rows.text(0), rows.text(1)) : nil
    }
}
