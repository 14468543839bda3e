import RecordKitSQLite

/// The records in stock that neither came in nor were sold for some days, as they are printed, the longest first.
///
/// A temporary database on the disk has the day of each record, and a ``LineSorter`` the lines. So memory stays small
/// for any stock.
struct DeadStock {
    private let database: SQLiteDatabase
    private let setting: SQLiteStatement
    private let reading: SQLiteStatement
    private let latest: Int
    private var lines: LineSorter
    private(set) var count = 0

    /// - Parameters:
    ///   - latest: The latest day of a movement before the idle days.
    ///   - limit: The maximum number of lines. `nil` is all.
    init(until latest: Int, limit: Int? = nil) throws {
        self.latest = latest
        lines = try LineSorter(directions: [false], limit: limit)
        database = try SQLiteDatabase.temporary(
            "CREATE TABLE days (sku TEXT PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID;", cacheSize: 1_000)
        setting = try database.statement(
            "INSERT INTO days VALUES (?, ?) ON CONFLICT DO UPDATE SET day = max(day, excluded.day)")
        reading = try database.statement("SELECT day FROM days WHERE sku = ?")
    }

    /// Adds a day on which a record came in or was sold.
    func add(_ sku: SKU, on day: CalendarDay) throws {
        try setting.run([.text(sku.text), .integer(Int64(day.number))])
    }

    /// Adds the line of a record, unless it moved later. Call it after all days are added.
    ///
    /// - Parameter line: Receives the day of the last movement.
    mutating func add(_ record: Record, line: (CalendarDay?) -> String) throws {
        if record.quantity <= 0 { return }
        let last = try reading.first([.text(record.sku.text)]) { CalendarDay(number: Int($0.integer(0))) }
        if let last, last.number > latest { return }
        count += 1
        // A record that never moved comes first.
        try lines.add([last?.description ?? ""], record.sku.text, line(last))
    }

    /// Passes the lines to `body`.
    func forEach(_ body: (String) throws -> Void) throws {
        try lines.finish()
        while let line = try lines.next() { try body(line.text) }
    }
}
