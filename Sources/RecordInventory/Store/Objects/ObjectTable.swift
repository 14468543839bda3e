import RecordKitJSON
import Foundation
import RecordKitSQLite

/// The lists and objects in the database of a store. Call its methods within a transaction.
struct ObjectTable {
    let database: SQLiteDatabase
    /// Returns milliseconds since 1970.
    let now: () -> Int64
    /// What the latest search found. A connection has one temporary table for it, so only one table may search.
    let results: SearchResults

    init(_ database: SQLiteDatabase, now: @escaping () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }) {
        self.database = database
        self.now = now
        results = SearchResults(database)
    }

    /// A list that exists.
    struct List {
        let number: Int64
        var version: Int64
        /// Whether the search index has its objects.
        var isIndexed = false
    }

    /// The limit of versions that a caller may set. Every JSON parser reads smaller numbers exactly.
    static let versionLimit: Int64 = 1 << 53

    /// The subquery for objects. Gives an object with damaged JSON no fields, so that it can be deleted and the others
    /// be read. `stored` is the JSON as it is, for expressions that an index has.
    static let objects = objects(in: "objects")

    /// - Parameter id: The column of the id, by which the objects of `table` are ordered.
    static func objects(in table: String, id: String = "objects.id") -> String {
        """
        (SELECT objects.list, \(id) AS id, version, deleted,
            CASE WHEN json_valid(data) AND data LIKE '{%' THEN data ELSE '{}' END AS data,
            data AS stored FROM \(table))
        """
    }

    func list(at path: ListPath) throws -> List? {
        try database.statement("SELECT number, version, \(SearchIndex.hasList) FROM lists WHERE path = ?")
            .first([.text(path.path)]) {
                List(number: $0.integer(0), version: $0.integer(1), isIndexed: $0.integer(2) == 1)
            }
    }

    /// Returns the object with an id, unless it was deleted.
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

    /// Creates or replaces an object, and creates the empty list that it holds.
    ///
    /// - Parameter version: The requested version. An object that requests the latest version of the list gets a new
    ///   one, as in Kinto.
    /// - Throws: ``VersionTaken`` if another object of the list has an earlier requested version.
    func put(_ id: String, _ fields: JSONObject, version: Int64? = nil, in path: ListPath, _ list: inout List) throws
        -> StoredObject
    {
        let object = try write(id, fields, deleted: false, version: version, in: &list)
        if let held = path.list(heldBy: id) {
            try database.statement("INSERT INTO lists (path, version) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .run([.text(held.path), .integer(now())])
        }
        return object
    }

    /// Replaces an object by a tombstone.
    func bury(_ id: String, _ list: inout List) throws -> StoredObject {
        try write(id, StoredObject.tombstone, deleted: true, version: nil, in: &list)
    }

    /// Reads an object. Gives one whose JSON is not UTF-8 no fields: SQLite does not check it.
    static func read(_ row: SQLiteStatement) -> StoredObject {
        let data = row.utf8(2)
        let isText = String(validating: data, as: UTF8.self) != nil
        return StoredObject(id: row.text(0), version: row.integer(1), data: isText ? data : Array("{}".utf8))
    }

    private func write(_ id: String, _ fields: JSONObject, deleted: Bool, version: Int64?, in list: inout List) throws
        -> StoredObject
    {
        let version = try self.version(wanted: version, in: list)
        let data = JSONValue.object(fields).bytes()
        let values: [SQLiteValue] = [
            .integer(list.number), .text(id), .integer(version), .integer(deleted ? 1 : 0), .utf8(data),
        ]
        try database.statement(
            """
            INSERT INTO objects (list, id, version, deleted, data) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (list, id) DO NOTHING
            """
        ).run(values)
        if database.changedRows == 0 {
            try database.statement(
                "UPDATE objects SET version = ?3, deleted = ?4, data = ?5 WHERE list = ?1 AND id = ?2"
            )
            .run(values)
        } else if list.isIndexed {
            try SearchIndex(database: database).add(fields, row: database.lastRow)
        }
        if version > list.version {
            try database.statement("UPDATE lists SET version = ? WHERE number = ?")
                .run([.integer(version), .integer(list.number)])
            list.version = version
        }
        return StoredObject(id: id, version: version, data: data)
    }

    private func version(wanted: Int64?, in list: List) throws -> Int64 {
        // A clock before 1970 must not make a negative version, since an entity tag has no sign.
        let next = max(now(), list.version + 1, 1)
        guard let wanted, (1..<Self.versionLimit).contains(wanted) else { return next }
        if wanted == list.version { return list.version + 1 }
        if wanted > list.version { return wanted }
        let taken = try database.statement("SELECT 1 FROM objects WHERE list = ? AND version = ?")
            .first([.integer(list.number), .integer(wanted)]) { _ in true }
        if taken != nil { throw VersionTaken() }
        return wanted
    }
}

/// Another object of the list has the requested version. The request, or the batch, must change nothing.
struct VersionTaken: Error {}

/// A stored bucket, collection or record, or its tombstone.
struct StoredObject: Equatable, Sendable {
    let id: String
    /// Milliseconds since 1970, unique within the list.
    let version: Int64
    /// The JSON text of the other fields, without spaces.
    let data: [UInt8]

    static let tombstone = JSONObject([JSONObject.Member(name: "deleted", value: true)])

    /// The JSON text of the whole object.
    var json: [UInt8] {
        var writer = JSONText()
        write(to: &writer)
        return writer.bytes
    }

    /// - Parameter isMinimal: Whether only `id` and `last_modified` are written.
    func write(isMinimal: Bool = false, to writer: inout JSONText) {
        let data = isMinimal ? [] : data
        writer.raw(#"{"id":"#)
        writer.write(id)
        writer.raw(#","last_modified":"#)
        writer.raw(String(version).utf8)
        if data.count > 2 { writer.raw(",") }
        writer.raw(data.isEmpty ? [UInt8(ascii: "}")] : data.dropFirst())
    }

    /// The fields without `id` and `last_modified`. Empty if the object is damaged.
    var fields: JSONObject {
        (try? JSONValue(stored: data).object) ?? JSONObject()
    }
}

/// The path of a list: the buckets, the collections of a bucket, or the records of a collection.
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

    /// The name of the kind of object in the list.
    var objectName: String {
        if case .records = self { "record" } else { "collection" }
    }

    /// Returns the list that an object holds, or `nil` for a record.
    func list(heldBy id: String) -> ListPath? {
        switch self {
        case .buckets: .collections(bucket: id)
        case .collections(let bucket): .records(bucket: bucket, collection: id)
        case .records: nil
        }
    }
}
