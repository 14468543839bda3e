import Foundation

/// The lists and objects of a store's database. Every call is made inside a transaction.
struct ObjectTable {
    let database: SQLiteDatabase
    /// Milliseconds since 1970.
    let now: () -> Int64

    init(_ database: SQLiteDatabase, now: @escaping () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }) {
        self.database = database
        self.now = now
    }

    /// A list that exists.
    struct List {
        let number: Int64
        var version: Int64
    }

    /// The highest version that a caller may set: what every JSON reader takes exactly.
    static let versionLimit: Int64 = 1 << 53

    /// The objects to read from. One whose JSON is damaged has no fields, so that it can be deleted like any other, and
    /// the rest be read.
    static let objects = """
        (SELECT list, id, version, deleted, CASE WHEN json_valid(data) AND data LIKE '{%' THEN data ELSE '{}' END AS data
            FROM objects)
        """

    func list(at path: ListPath) throws -> List? {
        try database.statement("SELECT number, version FROM lists WHERE path = ?").first([.text(path.path)]) {
            List(number: $0.integer(0), version: $0.integer(1))
        }
    }

    /// The live object of this id.
    func object(_ id: String, in list: List) throws -> StoredObject? {
        try database
            .statement("SELECT id, version, data FROM \(Self.objects) WHERE list = ? AND id = ? AND deleted = 0")
            .first([.integer(list.number), .text(id)], Self.read)
    }

    func exists(_ id: String, in path: ListPath) throws -> Bool {
        try database.statement(
            """
            SELECT 1 FROM objects JOIN lists ON list = number WHERE path = ? AND id = ? AND deleted = 0
            """
        ).first([.text(path.path), .text(id)]) { _ in true } ?? false
    }

    /// Makes or replaces an object, and the empty list that it holds.
    ///
    /// - Parameter version: the version that the caller wants: used when the list has not seen it, else a new one is.
    func put(_ id: String, data: [UInt8], version: Int64? = nil, in path: ListPath, _ list: inout List) throws
        -> StoredObject
    {
        let object = try write(id, data: data, deleted: false, version: version, in: &list)
        if let held = path.list(heldBy: id) {
            try database.statement("INSERT INTO lists (path, version) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .run([.text(held.path), .integer(now())])
        }
        return object
    }

    /// Leaves a tombstone in the object's place, and deletes all that it held without a trace.
    func bury(_ id: String, version: Int64? = nil, in path: ListPath, _ list: inout List) throws -> StoredObject {
        let tombstone = try write(id, data: StoredObject.tombstone, deleted: true, version: version, in: &list)
        if let held = path.list(heldBy: id) {
            // "0" follows "/": between them lies whatever begins with the path and a slash.
            let inside = "path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')"
            try database.statement("DELETE FROM objects WHERE list IN (SELECT number FROM lists WHERE \(inside))")
                .run([.text(held.path)])
            // Whoever makes it again finds an empty list, not the one whose version is remembered somewhere.
            try database.statement("UPDATE lists SET version = max(version + 1, ?2) WHERE \(inside)")
                .run([.text(held.path), .integer(now())])
        }
        return tombstone
    }

    static func read(_ row: SQLiteStatement) -> StoredObject {
        StoredObject(id: row.text(0), version: row.integer(1), data: row.utf8(2))
    }

    private func write(_ id: String, data: [UInt8], deleted: Bool, version: Int64?, in list: inout List) throws
        -> StoredObject
    {
        let version = try self.version(wanted: version, in: list)
        try database.statement(
            """
            INSERT INTO objects (list, id, version, deleted, data) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (list, id) DO UPDATE
                SET version = excluded.version, deleted = excluded.deleted, data = excluded.data
            """
        ).run([.integer(list.number), .text(id), .integer(version), .integer(deleted ? 1 : 0), .utf8(data)])
        if version > list.version {
            try database.statement("UPDATE lists SET version = ? WHERE number = ?")
                .run([.integer(version), .integer(list.number)])
            list.version = version
        }
        return StoredObject(id: id, version: version, data: data)
    }

    private func version(wanted: Int64?, in list: List) throws -> Int64 {
        // Whatever the clock says: an entity tag has no sign.
        let next = max(now(), list.version + 1, 1)
        guard let wanted, (1..<Self.versionLimit).contains(wanted) else { return next }
        if wanted == list.version { return list.version + 1 }
        if wanted > list.version { return wanted }
        let taken = try database.statement("SELECT 1 FROM objects WHERE list = ? AND version = ?")
            .first([.integer(list.number), .integer(wanted)]) { _ in true }
        return taken == nil ? wanted : next
    }
}

/// An object as the store keeps it: a bucket, a collection, a record, or the tombstone of one.
struct StoredObject: Equatable, Sendable {
    let id: String
    /// Milliseconds since 1970, and never the same twice in a list.
    let version: Int64
    /// The JSON of all other fields, without spaces.
    let data: [UInt8]

    static let tombstone = Array(#"{"deleted":true}"#.utf8)

    /// The JSON of the whole object.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// - Parameter wanted: the fields to write besides `id` and `last_modified`; `nil` writes all.
    func write(_ wanted: [String]? = nil, to writer: inout JSONWriter) {
        let data = wanted.map { JSONWriter.bytes(.object(fields.subset($0))) } ?? data
        writer.raw(#"{"id":"#)
        writer.write(id)
        writer.raw(#","last_modified":"#)
        writer.raw(String(version).utf8)
        if data.count > 2 { writer.raw(",") }
        writer.raw(data.dropFirst())
    }

    /// The fields without `id` and `last_modified`; none of an object that is damaged.
    var fields: JSONObject {
        (try? JSONReader.read(data).object) ?? JSONObject()
    }
}

/// Where a list of objects is: the buckets, a bucket's collections, or a collection's records.
enum ListPath: Hashable, Sendable {
    case buckets
    case collections(bucket: String)
    case records(bucket: String, collection: String)

    /// The path after the version prefix.
    var path: String {
        switch self {
        case .buckets: "/buckets"
        case .collections(let bucket): "/buckets/\(bucket)/collections"
        case .records(let bucket, let collection): "/buckets/\(bucket)/collections/\(collection)/records"
        }
    }

    /// What one object of the list is called.
    var objectName: String {
        switch self {
        case .buckets: "bucket"
        case .collections: "collection"
        case .records: "record"
        }
    }

    /// The list that an object of this one holds; a record holds none.
    func list(heldBy id: String) -> ListPath? {
        switch self {
        case .buckets: .collections(bucket: id)
        case .collections(let bucket): .records(bucket: bucket, collection: id)
        case .records: nil
        }
    }
}
