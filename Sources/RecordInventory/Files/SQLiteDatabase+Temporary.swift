import RecordKitSQLite

extension SQLiteDatabase {
    /// Creates a database in a temporary file without a name, which SQLite removes with it. So memory stays small.
    ///
    /// - Parameters:
    ///   - tables: The statements that create its tables.
    ///   - cacheSize: How much of it SQLite holds in memory, in kibibytes.
    static func temporary(_ tables: String, cacheSize: Int) throws(SQLiteError) -> SQLiteDatabase {
        let database = try SQLiteDatabase(file: "")
        // Nothing has to survive a crash, and nothing is rolled back.
        try database.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA temp_store = FILE;
            PRAGMA cache_size = -\(cacheSize);
            \(tables)
            BEGIN;
            """)
        return database
    }
}
