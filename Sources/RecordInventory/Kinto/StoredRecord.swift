import RecordKitJSON
import RecordKit

/// A record on a server.
struct StoredRecord: Sendable {
    var record: Record
    var version: Version
    /// The record as it was read. Its other members stay, whatever becomes of the record.
    private var source: JSONView?

    init(record: Record, version: Version) {
        self.record = record
        self.version = version
    }

    /// Returns the members that change this record to another. An object is sent as a whole, with the members of other
    /// programs.
    func changes(to other: Record) -> JSONValue {
        let changed = zip(record.members, other.members).filter { $0 != $1 }
        return .object(JSONObject(changed.map { completed($1) }))
    }

    /// The members of other programs within the price. As a rule there are none.
    private var foreign: [JSONObject.Member] {
        let others = source?.last("price")?.members?.filter { !Money.names.contains($0.name) } ?? []
        return JSONObject(sorting: others.map { JSONObject.Member(name: $0.name, value: $0.value.tree.sorted()) })
            .members
    }

    /// Returns a member with those of other programs within it.
    private func completed(_ member: JSONObject.Member) -> JSONObject.Member {
        member.name == "price" ? JSONObject.Member(name: member.name, value: member.value.adding(foreign)) : member
    }
}

extension StoredRecord: Hashable {
    static func == (one: StoredRecord, other: StoredRecord) -> Bool {
        one.record == other.record && one.version == other.version && one.foreign == other.foreign
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(record.sku)
        hasher.combine(version)
    }

    /// The members as stored, those of other programs included, except missing values and what the server adds.
    var members: [JSONObject.Member] {
        let own = record.members.map(completed)
        let known = Set(own.map(\.name) + ["id", "last_modified", "schema"])
        let others = (source?.members ?? []).filter { !known.contains($0.name) }
        return own.filter { $0.value != .null }
            + others.map { JSONObject.Member(name: $0.name, value: $0.value.tree.sorted()) }
    }
}

extension StoredRecord: StoredItem {
    static let collection = ShopPath.records

    init(_ object: JSONView) throws {
        let id: String = try object.value("id")
        do {
            record = try Record(object)
            version = try object.value("last_modified")
            source = object
        } catch {
            throw Unreadable(id: id, reason: error.description, version: Version(in: object))
        }
        guard record.sku.recordID == id else {
            throw Unreadable(
                id: id, reason: "its sku, \(record.sku.text.shown), belongs to another id", version: version)
        }
    }
}

extension Version: JSONContent {
    var json: JSONValue { .integer(milliseconds) }

    init(json: JSONView) throws(JSONFault) { self.init(try Int64(json: json)) }
}

/// When a record was last written, in milliseconds of the server: its ETag without quotation marks.
struct Version: Hashable, Sendable {
    let milliseconds: Int64

    init(_ milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads the version of a stored object. Returns `nil` if there is none.
    init?(in object: JSONView) {
        guard let milliseconds = object.last("last_modified")?.integer else { return nil }
        self.milliseconds = milliseconds
    }

    /// The value for `If-Match` (RFC 9110 section 8.8.3).
    var entityTag: String { "\"\(milliseconds)\"" }
}

extension HTTPHeaders {
    /// Creates the condition that the record still has a version.
    static func ifUnchanged(since version: Version) -> HTTPHeaders {
        ["If-Match": version.entityTag]
    }

    /// The condition that the record does not exist.
    static let ifNew: HTTPHeaders = ["If-None-Match": "*"]
}
