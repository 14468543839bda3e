import RecordKitSQLite

/// The first row of each SKU of a file, in a temporary file, since a million SKUs would take much memory.
///
/// SQLite holds 2 MB of the temporary file in memory, and removes the file with this value.
struct RowNumbers {
    private let database: SQLiteDatabase

    init() throws(ImportError) {
        do {
            database = try SQLiteDatabase.temporary(
                """
                CREATE TABLE numbers (sku TEXT PRIMARY KEY, row INTEGER) WITHOUT ROWID;
                CREATE TABLE counts (sku TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
                """, cacheSize: 2_000)
        } catch {
            throw .temporaryFile(error)
        }
    }

    /// Returns the earlier row with the SKU, or `nil` if this is the first one, which is kept.
    func earlierRow(of sku: SKU, _ row: Int) throws(ImportError) -> Int? {
        do throws(SQLiteError) {
            let insertion = try database.statement("INSERT INTO numbers VALUES (?, ?) ON CONFLICT DO NOTHING")
            try insertion.run([.text(sku.text), .integer(Int64(row))])
            if database.changedRows > 0 { return nil }
            let search = try database.statement("SELECT row FROM numbers WHERE sku = ?")
            try search.start([.text(sku.text)])
            return try search.step() ? Int(search.integer(0)) : nil
        } catch {
            throw .temporaryFile(error)
        }
    }

    /// Counts a row with a SKU that several may have. Returns how many there are so far.
    func count(of sku: SKU) throws(ImportError) -> Int {
        do throws(SQLiteError) {
            let counting = try database.statement(
                "INSERT INTO counts VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count")
            try counting.start([.text(sku.text)])
            _ = try counting.step()
            defer { counting.reset() }
            return Int(counting.integer(0))
        } catch {
            throw .temporaryFile(error)
        }
    }
}
