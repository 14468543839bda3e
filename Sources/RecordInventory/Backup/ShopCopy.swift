import RecordKitJSON
import RecordKitSQLite

/// The shops of a backup in a store of their own, or those of a store that is open.
///
/// Holds every collection, whatever it is for, so that a later version of the tool finds its own again.
struct ShopCopy {
    let database: SQLiteDatabase
    private let table: ObjectTable

    init(_ database: SQLiteDatabase) {
        self.database = database
        table = ObjectTable(database)
    }

    /// Makes a copy without shops, on the disk until it is released.
    init() throws {
        self.init(try StoreFile.temporary())
    }
}

// Reading.
extension ShopCopy {
    /// The names of the shops.
    var shops: [String] {
        get throws { try ids(in: .buckets) }
    }

    func collections(of shop: String) throws -> [String] { try ids(in: .collections(bucket: shop)) }

    private func ids(in path: ListPath) throws -> [String] {
        guard let list = try table.list(at: path) else { return [] }
        return try database.statement("SELECT id FROM objects WHERE list = ? AND deleted = 0 ORDER BY id")
            .all([.integer(list.number)]) { $0.text(0) }
    }

    func has(_ id: String, in path: ListPath) throws -> Bool { try table.exists(id, in: path) }

    /// Passes the objects of a list to `body`, ordered by version, some at a time.
    func eachPortion(of path: ListPath, _ size: Int, _ body: ([StoredObject]) async throws -> Void) async throws {
        guard let list = try table.list(at: path) else { return }
        let sql = """
            SELECT id, version, data FROM \(ObjectTable.objects) WHERE list = ? AND deleted = 0 AND version > ?
                ORDER BY version LIMIT ?
            """
        var last: Int64 = 0
        while true {
            let portion = try database.statement(sql)
                .all([.integer(list.number), .integer(last), .integer(Int64(size))], ObjectTable.read)
            guard let end = portion.last else { return }
            try await body(portion)
            last = end.version
        }
    }

    /// Counts and adds up what a shop has.
    func summary(of shop: String) throws -> ShopSummary {
        try database.transaction(.read) {
            var summary = ShopSummary()
            let neutral = Movement.Kind.allCases.filter { !$0.changesStock }.map { "'\($0.rawValue)'" }
            // Records have no kind.
            let sql = """
                SELECT count(*), sum(json_extract(data, '$.quantity')) FILTER (
                        WHERE json_extract(data, '$.sku') IS NOT NULL
                        AND ifnull(json_extract(data, '$.kind'), '') NOT IN (\(neutral.joined(separator: ", "))))
                    FROM \(ObjectTable.objects) WHERE list = ? AND deleted = 0
                """
            // The number of locks says nothing about a stock.
            for name in try collections(of: shop) where name != Ledger.lockCollection {
                guard let list = try table.list(at: .records(bucket: shop, collection: name)) else { continue }
                let (count, copies) =
                    try database.statement(sql)
                    .first([.integer(list.number)]) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
                summary.objects[name] = count
                if name == ShopPath.records { summary.copies = copies }
                if name == Ledger.collection { summary.moved = copies }
            }
            let movements = ListPath.records(bucket: shop, collection: Ledger.collection)
            if let list = try table.list(at: movements),
                let sums = try table.sums(of: CalendarDay.all, in: list)
            {
                for (key, sum) in sums.sums where MovementSums.sold.contains(key.kind) {
                    guard let currency = key.currency else { continue }
                    summary.takings[currency, default: 0] &+= sum.paid
                }
            }
            return summary
        }
    }
}

// Writing.
extension ShopCopy {
    /// Gives a shop another name, which no shop has.
    func rename(_ shop: String, to name: String) throws {
        let (old, new) = (ListPath.collections(bucket: shop).path, ListPath.collections(bucket: name).path)
        try database.transaction(.write) {
            let buckets = "list = (SELECT number FROM lists WHERE path = '/buckets')"
            // LIKE ignores case, and takes `_` for any character.
            func lists(_ path: String) -> String {
                "path = \(path) OR substr(path, 1, length(\(path)) + 1) = \(path) || '/'"
            }
            // What is left of a deleted shop of that name.
            try database.run("DELETE FROM objects WHERE id = ? AND \(buckets)", .text(name))
            try database.run(
                "DELETE FROM objects WHERE list IN (SELECT number FROM lists WHERE \(lists("?1")))", .text(new))
            try database.run("DELETE FROM lists WHERE \(lists("?1"))", .text(new))
            try database.run(
                "UPDATE lists SET path = ?2 || substr(path, length(?1) + 1) WHERE \(lists("?1"))", .text(old),
                .text(new))
            try database.run("UPDATE objects SET id = ?2 WHERE id = ?1 AND \(buckets)", .text(shop), .text(name))
        }
    }

    /// Puts an object in a list that exists, with its id and version as Kinto returns it.
    func put(_ object: JSONObject, in path: ListPath) throws {
        var fields = object
        guard let id = fields.remove("id")?.string, id.isKintoID, var list = try table.list(at: path) else {
            throw ForeignObject()
        }
        let version = fields.remove("last_modified")?.integer
        do {
            _ = try table.put(id, fields, version: version, in: path, &list)
        } catch is VersionTaken {
            // Kinto on memory storage lets two objects have one version.
            _ = try table.put(id, fields, in: path, &list)
        }
    }

    /// Removes all objects from a list, or those whose field has a value.
    func removeObjects(in path: ListPath, where field: String? = nil, is value: String = "") throws {
        guard let list = try table.list(at: path) else { return }
        let condition = field.map { "json_extract(data, '$.\($0)') = ?2" } ?? "1"
        try database.statement("DELETE FROM objects WHERE list = ?1 AND \(condition)")
            .run([.integer(list.number)] + (field == nil ? [] : [.text(value)]))
    }

    /// Removes an object, without a tombstone.
    func remove(_ id: String, in path: ListPath) throws {
        guard let list = try table.list(at: path) else { return }
        try database.run("DELETE FROM objects WHERE list = ? AND id = ?", .integer(list.number), .text(id))
    }

    /// An object that Kinto cannot have sent.
    struct ForeignObject: Error, CustomStringConvertible {
        var description: String {
            "the server sent an object without an id of Kinto's form: check the address, which usually ends in /v1"
        }
    }
}

/// The numbers of a shop, by which a copy is compared with the original.
struct ShopSummary: Equatable, Sendable {
    /// The number of objects in each collection.
    var objects: [String: Int] = [:]
    /// The copies in stock, according to the records.
    var copies = 0
    /// The same according to the movements.
    var moved = 0
    /// What was paid for sales, less what was given back, in minor units.
    var takings: [Currency: Int64] = [:]

    var isEmpty: Bool { objects.values.allSatisfy { $0 == 0 } }

    /// The numbers with their names.
    var rows: [(name: String, number: String)] {
        objects.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
            + [("copies in stock", "\(copies)"), ("copies by movements", "\(moved)")]
            + takings.sorted { $0.key.code < $1.key.code }.map { currency, amount in
                ("takings \(currency.code)", Money(amount: amount, currency: currency).decimalText)
            }
    }
}

/// The numbers of several shops by their names.
typealias ShopNumbers = [String: ShopSummary]

extension ShopNumbers {
    static func of(_ copy: ShopCopy) throws -> ShopNumbers {
        var numbers: ShopNumbers = [:]
        for shop in try copy.shops { numbers[shop] = try copy.summary(of: shop) }
        return numbers
    }
}
