import Foundation

/// Sorts records, which it holds as the strings to print.
///
/// Holds some thousands in memory. Keeps more in a temporary database without a name, which SQLite deletes when it is
/// closed. So memory stays small for any number of records.
struct RecordSorter {
    private struct Entry {
        let keys: [String?]
        let sku: SKU
        let text: String
    }

    private let sort: [Command.SortKey]
    /// The maximum number of records to return.
    private let limit: Int
    private let capacity: Int
    private var entries: [Entry] = []
    private var spilled: SortedTable?

    /// - Parameter capacity: the number of records in memory.
    init(_ sort: [Command.SortKey], limit: Int?, capacity: Int = 5_000) {
        self.sort = sort
        self.limit = limit ?? .max
        self.capacity = capacity
    }

    /// - Parameter text: the string to return for the record.
    mutating func add(_ record: Record, _ text: String) throws {
        entries.append(Entry(keys: sort.map { $0.field.value(of: record).sortable }, sku: record.sku, text: text))
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

    /// Returns the next record in order, or `nil` at the end.
    mutating func next() throws -> (sku: SKU, text: String)? {
        guard let spilled else { return entries.popLast().map { ($0.sku, $0.text) } }
        return try spilled.next()
    }

    private mutating func sortEntries() {
        entries.sort(by: precedes)
        entries.removeLast(max(0, entries.count - limit))
    }

    private mutating func spill() throws {
        let table = try spilled ?? SortedTable(directions: sort.map(\.isDescending))
        spilled = table
        for entry in entries { try table.add(entry.keys, entry.sku, entry.text) }
        entries.removeAll(keepingCapacity: true)
    }

    /// Compares by the keys, then by SKU. Records without a value come last in both directions.
    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        for (index, key) in sort.enumerated() {
            let (a, b) = (one.keys[index], other.keys[index])
            if a == b { continue }
            guard let a, let b else { return b == nil }
            return key.isDescending ? a > b : a < b
        }
        return one.sku < other.sku
    }
}

/// The temporary database of a ``RecordSorter``.
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
            CREATE TABLE entries (\(keys)sku TEXT NOT NULL, text TEXT NOT NULL);
            BEGIN;
            """)
        let places = directions.map { _ in "?, " }.joined()
        insert = try database.statement("INSERT INTO entries VALUES (\(places)?, ?)")
        order =
            zip(directions.indices, directions).map { "key\($0) IS NULL, key\($0)\($1 ? " DESC" : ""), " }.joined()
            + "sku"
    }

    func add(_ keys: [String?], _ sku: SKU, _ text: String) throws {
        try insert.run(keys.map { $0.map { .text($0) } ?? .null } + [.text(sku.text), .text(text)])
    }

    func sort(limit: Int) throws {
        try database.execute("COMMIT")
        rows = try database.statement("SELECT sku, text FROM entries ORDER BY \(order) LIMIT ?")
        try rows?.start([.integer(Int64(limit))])
    }

    func next() throws -> (sku: SKU, text: String)? {
        guard let rows, try rows.step() else { return nil }
        return (try SKU(rows.text(0)), rows.text(1))
    }
}

extension FieldValue {
    /// The value as a string whose UTF-8 has the order of the values, or `nil` for a missing value.
    ///
    /// Text is in normalization form C. Swift 6.3.1 does not order "e\u{301}" before "\u{E9}1", though they begin with
    /// the same character.
    fileprivate var sortable: String? {
        switch self {
        case .none: nil
        case .number(let number): "1" + Self.digits(of: number)
        case .text(let text): "2" + text.precomposedStringWithCanonicalMapping
        case .grade(let grade): "3\(9 - (MediaCondition.allCases.firstIndex(of: grade) ?? 9))"
        }
    }

    /// Returns as many digits for each number. Inverts the sign, so that negative numbers come first.
    private static func digits(of number: Int128) -> String {
        let digits = String(UInt128(bitPattern: number) ^ (1 << 127), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
