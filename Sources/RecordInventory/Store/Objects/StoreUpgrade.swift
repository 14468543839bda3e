import Foundation

/// Brings the tables of a store up to date, from one format to the next.
///
/// `StoreFile` runs the missing steps in one transaction with the new format number. So a process that is killed leaves
/// the old format, and a second process finds the new one. A new store runs all steps too.
struct StoreUpgrade {
    let database: SQLiteDatabase

    /// The format after all steps. A tool that knows fewer refuses the file.
    static let version: Int64 = 4

    /// Runs the steps after a format.
    func run(from version: Int64) throws {
        if version < 2 { try makeLedger() }
        if version < 3 {
            // The table of objects adds new records to the search index itself.
            try database.execute("DROP TRIGGER IF EXISTS search_insert")
        }
        if version < 4 { try makeIndexes() }
    }

    /// Creates the ledger of each shop, with an opening movement for each record in stock.
    private func makeLedger() throws {
        let table = ObjectTable(database)
        guard let buckets = try table.list(at: .buckets) else { return }
        var names: [String] = []
        try database.statement("SELECT id FROM objects WHERE list = ? AND deleted = 0")
            .forEachRow([.integer(buckets.number)]) { names.append($0.text(0)) }
        for name in names where try table.exists("records", in: .collections(bucket: name)) {
            try makeLedger(of: name, table)
        }
    }

    private func makeLedger(of bucket: String, _ table: ObjectTable) throws {
        let path = ListPath.collections(bucket: bucket)
        guard var collections = try table.list(at: path),
            let records = try table.list(at: .records(bucket: bucket, collection: "records"))
        else { return }
        for name in [Ledger.collection, Ledger.lockCollection] where try !table.exists(name, in: path) {
            _ = try table.put(name, JSONObject(), in: path, &collections)
        }
        let movementsPath = ListPath.records(bucket: bucket, collection: Ledger.collection)
        let locksPath = ListPath.records(bucket: bucket, collection: Ledger.lockCollection)
        guard var movements = try table.list(at: movementsPath), var locks = try table.list(at: locksPath) else {
            return
        }
        let now = MovementTime.now()
        // Versions from 1 on: no record has had one, so they are free.
        try database.statement(
            """
            INSERT OR IGNORE INTO objects (list, id, version, deleted, data)
                SELECT ?1, '\(Movement.openingID(of: ""))' || id, row_number() OVER (ORDER BY id), 0,
                    json_object('sku', sku, 'kind', 'opening', 'quantity', quantity, 'at', ?3, 'time', ?4,
                        'offset', ?5, 'till', '', 'reason', 'in stock when the ledger began')
                FROM (SELECT id, json_extract(data, '$.sku') AS sku, json_extract(data, '$.quantity') AS quantity
                    FROM \(ObjectTable.objects) WHERE list = ?2 AND deleted = 0
                    AND json_type(data, '$.sku') = 'text' AND json_type(data, '$.quantity') = 'integer')
                WHERE quantity <> 0
            """
        ).run([
            .integer(movements.number), .integer(records.number), .integer(now.milliseconds), .text(now.text),
            .integer(Int64(now.offset)),
        ])
        _ = try table.put(
            Ledger.anchorID, JSONObject(), version: Ledger.anchorVersion, in: movementsPath, &movements)
        _ = try table.put(Ledger.lockID, Ledger.lockData(isComplete: true), in: locksPath, &locks)
    }

    /// Creates the indexes of fields and times. ``SearchIndex`` creates its own, since not every system has FTS5.
    private func makeIndexes() throws {
        let fields = SQLBuilder.indexes.map { ($1, SQLBuilder.indexed($0)) }
        for (name, value) in fields + SQLBuilder.times.map({ ($1, SQLBuilder.time(ofOpenings: $0)) }) {
            try database.execute(
                "CREATE INDEX IF NOT EXISTS \(name) ON objects (list, \(value)) WHERE \(value) IS NOT NULL")
        }
    }
}
