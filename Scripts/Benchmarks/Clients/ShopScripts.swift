/// A shop in a few lines of Python, and of SQL for the `sqlite3` program.
enum ShopScripts {
    static let python = #"""
        import csv, json, re, sqlite3, sys, time, unicodedata

        def words(*texts):
            text = unicodedata.normalize("NFKD", " ".join(text for text in texts if text).lower())
            return " ".join(re.findall(r"\w+", "".join(c for c in text if not unicodedata.combining(c))))

        command, store, argument = sys.argv[1:]
        db = sqlite3.connect(store)
        db.execute("PRAGMA synchronous = FULL")
        now = int(time.time() * 1000)
        if command == "import":
            db.executescript("""PRAGMA journal_mode = WAL;
                CREATE TABLE records (id INTEGER PRIMARY KEY, sku TEXT UNIQUE, data TEXT, barcode TEXT);
                CREATE INDEX barcodes ON records (barcode);
                CREATE TABLE movements (sku TEXT, kind TEXT, quantity INTEGER, at INTEGER);
                CREATE VIRTUAL TABLE search USING fts5(words, detail = none, columnsize = 0);""")
            with db, open(argument, encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    row["price"] = {"amount": round(float(row["price"]) * 100), "currency": row.pop("currency")}
                    row["quantity"], row["year"] = int(row["quantity"]), int(row["year"])
                    number = db.execute("INSERT INTO records (sku, data, barcode) VALUES (?, ?, ?)",
                        (row["sku"], json.dumps(row), row["barcode"])).lastrowid
                    db.execute("INSERT INTO movements VALUES (?, 'opening', ?, ?)", (row["sku"], row["quantity"], now))
                    db.execute("INSERT INTO search (rowid, words) VALUES (?, ?)", (number, words(
                        row["artist"], row["title"], row["label"], row["catalogue_number"], row["barcode"])))
        elif command == "sell":
            with db:
                db.execute("BEGIN IMMEDIATE")
                data = json.loads(db.execute("SELECT data FROM records WHERE sku = ?", (argument,)).fetchone()[0])
                data["quantity"] -= 1
                db.execute("UPDATE records SET data = ? WHERE sku = ?", (json.dumps(data), argument))
                db.execute("INSERT INTO movements VALUES (?, 'sale', -1, ?)", (argument, now))
        else:
            rows = db.execute("SELECT data FROM records ORDER BY sku") if command == "list" else db.execute(
                "SELECT data FROM records WHERE id IN (SELECT rowid FROM search WHERE search MATCH ?) ORDER BY sku",
                (" ".join(f'"{word}"*' for word in words(argument).split()),))
            for (data,) in rows:
                print("\t".join(str(value) for value in json.loads(data).values()))
        """#

    /// Returns the arguments of the program for a command: SQL, and commands of its own.
    static func sql(_ command: String, _ argument: String) -> [String] {
        switch command {
        case "import": [schema, ".import --csv '\(argument)' rows", filling]
        case "list": ["SELECT data FROM records ORDER BY sku"]
        case "sell": [selling.replacing("SKU", with: argument)]
        default:
            [
                searching.replacing(
                    "WORDS", with: argument.split(separator: " ").map { "\"\($0)\"*" }.joined(separator: " "))
            ]
        }
    }

    private static let schema = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        CREATE TABLE records (id INTEGER PRIMARY KEY, sku TEXT UNIQUE, data TEXT, barcode TEXT);
        CREATE INDEX barcodes ON records (barcode);
        CREATE TABLE movements (sku TEXT, kind TEXT, quantity INTEGER, at INTEGER);
        CREATE VIRTUAL TABLE search USING fts5(words, detail = none, columnsize = 0);
        """

    private static let filling = """
        BEGIN;
        INSERT INTO records (sku, data, barcode) SELECT sku, json_object('sku', sku, 'artist', artist, 'title', title,
            'label', label, 'catalogue_number', catalogue_number, 'year', CAST(year AS INTEGER), 'barcode', barcode,
            'media_condition', media_condition,
            'price', json_object('amount', round(price * 100), 'currency', currency),
            'quantity', CAST(quantity AS INTEGER)), barcode FROM rows;
        INSERT INTO movements SELECT sku, 'opening', quantity, strftime('%s', 'now') FROM rows;
        INSERT INTO search (rowid, words)
            SELECT id, artist || ' ' || title || ' ' || label || ' ' || catalogue_number || ' ' || rows.barcode
            FROM records JOIN rows USING (sku);
        DROP TABLE rows;
        COMMIT;
        """

    private static let selling = """
        BEGIN IMMEDIATE;
        UPDATE records SET data = json_set(data, '$.quantity', json_extract(data, '$.quantity') - 1) WHERE sku = 'SKU';
        INSERT INTO movements VALUES ('SKU', 'sale', -1, strftime('%s', 'now'));
        COMMIT;
        """

    private static let searching = """
        SELECT data FROM records WHERE id IN (SELECT rowid FROM search WHERE search MATCH 'WORDS') ORDER BY sku
        """
}
