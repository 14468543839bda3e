import RecordKit

/// A record on a server.
struct StoredRecord: Sendable, Hashable {
    var record: Record
    var version: Version
    /// The members of other programs within the objects of the record, by the name of the object.
    private var foreign: [String: [JSONObject.Member]] = [:]

    init(record: Record, version: Version) {
        self.record = record
        self.version = version
    }

    /// Returns the members that change this record to another. An object is sent as a whole, with the members of other
    /// programs.
    func changes(to other: Record) -> JSONValue {
        let known = record.json.object ?? JSONObject()
        let wanted = other.json.object ?? JSONObject()
        let changed = wanted.members.filter { known[$0.name] != $0.value }
        let removed = known.members.filter { wanted[$0.name] == nil }
            .map { JSONObject.Member(name: $0.name, value: .null) }
        return .object(
            JSONObject(
                (changed + removed).map { member in
                    let value = member.value.adding(foreign[member.name] ?? [])
                    return JSONObject.Member(name: member.name, value: value)
                }))
    }
}

extension StoredRecord: Decodable {
    fileprivate enum Name: String, CodingKey {
        case id, price
        case version = "last_modified"
        case externalIDs = "external_ids"
    }

    /// - Throws: ``UnreadableRecord`` for an object with an id, and `DecodingError` for anything else.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        let id = try members.decode(String.self, forKey: .id)
        do {
            record = try Record(from: decoder)
            version = try members.decode(Version.self, forKey: .version)
            let price = try members.decode(ForeignMembers<Money.Name>.self, forKey: .price)
            let ids = try members.decodeIfPresent(ForeignMembers<ExternalIDs.CodingKeys>.self, forKey: .externalIDs)
            // Empty ones are left out, so that a record that was read equals one that was written.
            if !price.members.isEmpty { foreign[Name.price.rawValue] = price.members }
            if let ids, !ids.members.isEmpty { foreign[Name.externalIDs.rawValue] = ids.members }
        } catch {
            throw UnreadableRecord(id: id, version: try? members.decode(Version.self, forKey: .version), error)
        }
        guard record.sku.recordID == id else {
            throw UnreadableRecord(
                id: id, reason: "its sku, \(record.sku.text.shown), belongs to another id", version: version)
        }
    }
}

/// The members of an object whose names are not in `Own`.
private struct ForeignMembers<Own: CodingKey>: Decodable {
    let members: [JSONObject.Member]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONObject.Key.self)
        members = try JSONObject(container) { Own(stringValue: $0) == nil }.members
    }
}

/// When a record was last written, in milliseconds of the server: its ETag without quotation marks.
struct Version: Hashable, Sendable, Decodable {
    let milliseconds: Int64

    init(_ milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    init(from decoder: any Decoder) throws {
        milliseconds = try Int64(from: decoder)
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
