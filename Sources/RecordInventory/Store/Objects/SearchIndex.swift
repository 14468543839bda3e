import RecordKitJSON
import RecordKitSQLite

/// The index of the words of all records, for searches: a table of SQLite's FTS5.
///
/// ``ObjectTable`` adds new records, and triggers follow their changes. A trigger for new records would take three
/// times as long: FTS5 then writes a part of the index for each. Without FTS5 there are no triggers, and a search reads
/// all records. If another copy of SQLite created the store, the first one that can write adds or removes the index.
struct SearchIndex {
    let database: SQLiteDatabase

    /// Whether this copy of SQLite has FTS5.
    static let isAvailable = SQLiteDatabase.has(option: "ENABLE_FTS5")

    /// Adds the function that the triggers use. Call it for each connection.
    static func addFunction(to database: SQLiteDatabase) throws(SQLiteError) {
        try database.add("search_words") { bytes in
            // A damaged object has no words.
            words(of: (try? JSONValue(stored: bytes))?.object ?? JSONObject())
        }
    }

    /// Whether the index exists, and each change updates it.
    func exists() throws -> Bool {
        try database.statement("SELECT \(Self.exists)").first { $0.integer(0) == 1 } ?? false
    }

    private static let exists = "EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'search_update')"

    /// The condition that the index has the objects of the list with a path.
    static let hasList = "(\(isShop("path")) AND \(exists))"

    /// Adds a new object.
    func add(_ record: JSONObject, row: Int64) throws {
        try database.run(
            "INSERT INTO search (rowid, words) VALUES (?, ?)", .integer(row), .text(Self.words(of: record)))
    }

    private static func words(of record: JSONObject) -> String {
        Record.searchWords(of: record).joined(separator: " ")
    }

    /// Creates or removes the index, according to what this copy of SQLite supports. Call it in a transaction.
    func adapt() throws {
        let exists = try exists()
        if Self.isAvailable == exists { return }
        try database.execute(Self.isAvailable ? Self.schema : Self.removal)
    }

    /// The function takes the data of an object. The index has the `rowid` of the object, which stays the same for its
    /// id. The tokenizer splits at spaces, since the words are folded already.
    private static let schema = """
        DROP TABLE IF EXISTS search;
        CREATE VIRTUAL TABLE search USING fts5(words, tokenize = 'ascii', detail = none, columnsize = 0);
        INSERT INTO search (rowid, words) SELECT rowid, search_words(data) FROM objects
            WHERE deleted = 0 AND list IN (SELECT number FROM lists WHERE \(isShop("path")));
        CREATE TRIGGER search_update AFTER UPDATE OF data, deleted ON objects
            WHEN (SELECT \(isShop("path")) FROM lists WHERE number = new.list)
                AND (new.deleted <> old.deleted OR search_words(new.data) <> search_words(old.data)) BEGIN
                DELETE FROM search WHERE rowid = old.rowid;
                INSERT INTO search (rowid, words) SELECT new.rowid, search_words(new.data) WHERE new.deleted = 0;
            END;
        CREATE TRIGGER search_delete AFTER DELETE ON objects BEGIN
                DELETE FROM search WHERE rowid = old.rowid;
            END;
        """

    /// The table itself cannot be removed without FTS5.
    private static let removal = """
        DROP TRIGGER search_update;
        DROP TRIGGER search_delete;
        """

    /// Returns the condition that a list has the records of a shop.
    private static func isShop(_ path: String) -> String {
        "\(path) LIKE '%/collections/records/records'"
    }
}

/// The ids of the records that a search found, in a temporary table, for all pages of a list.
///
/// Without it each page would search again for all records.
final class SearchResults {
    private struct Key: Equatable {
        let match: String
        let list: Int64
        let version: Int64
    }

    private let database: SQLiteDatabase
    private var key: Key?

    init(_ database: SQLiteDatabase) {
        self.database = database
    }

    /// The objects that were found, in place of the table `objects`.
    ///
    /// The id is the one of the temporary table: SQLite then knows that the objects are in order. Otherwise it would
    /// sort all of them for each page.
    static let objects = ObjectTable.objects(
        in: "temp.found CROSS JOIN main.objects ON objects.id = found.id", id: "found.id")

    /// Forgets what was found, so that the next search reads the index again.
    func forget() {
        key = nil
    }

    /// Finds the objects of a list, unless they were found in this version of the list.
    func find(_ query: SearchQuery, in list: ObjectTable.List) throws {
        let key = Key(match: query.match, list: list.number, version: list.version)
        if key == self.key { return }
        self.key = nil
        try database.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS found (id TEXT PRIMARY KEY) WITHOUT ROWID;
            DELETE FROM temp.found;
            """)
        try database.run(
            """
            INSERT OR IGNORE INTO temp.found SELECT objects.id
                FROM search CROSS JOIN objects ON objects.rowid = search.rowid
                WHERE search MATCH ?1 AND objects.list = ?2
            """, .text(key.match), .integer(list.number))
        self.key = key
    }
}
