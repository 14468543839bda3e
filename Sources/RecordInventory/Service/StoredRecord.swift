/// A record as a server keeps it.
struct StoredRecord: Sendable, Hashable {
    var record: Record
    var version: Version
    /// What other programs keep inside the record's own objects, by the name of the object.
    private var foreign: [String: [JSONObject.Member]] = [:]

    init(record: Record, version: Version) {
        self.record = record
        self.version = version
    }

    /// The members that make it the other record. An object is sent as a whole, with what others keep in it.
    func changes(to other: Record) -> JSONValue {
        let known = record.json.object?.members ?? []
        let changed = (other.json.object?.members ?? []).filter { !known.contains($0) }
        return .object(
            JSONObject(
                changed.map { member in
                    let value = member.value.adding(foreign[member.name] ?? [])
                    return JSONObject.Member(name: member.name, value: value)
                }))
    }
}

extension JSONValue {
    /// The object with these members too. Null becomes an object that has these alone.
    func adding(_ added: [JSONObject.Member]) -> JSONValue {
        switch self {
        case .object(let object): .object(JSONObject(object.members + added))
        case .null where !added.isEmpty: .object(JSONObject(added))
        default: self
        }
    }
}

extension StoredRecord: Decodable {
    fileprivate enum Name: String, CodingKey {
        case id, price
        case version = "last_modified"
        case externalIDs = "external_ids"
    }

    /// - Throws: ``UnreadableRecord`` for an object with an id, and a `DecodingError` for anything else.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        let id = try members.decode(String.self, forKey: .id)
        do {
            record = try Record(from: decoder)
            version = try members.decode(Version.self, forKey: .version)
            foreign[Name.price.rawValue] = try members.decode(ForeignMembers<Money.Name>.self, forKey: .price).members
            foreign[Name.externalIDs.rawValue] = try members.decodeIfPresent(
                ForeignMembers<ExternalIDs.CodingKeys>.self, forKey: .externalIDs)?.members
        } catch {
            throw UnreadableRecord(id: id, version: try? members.decode(Version.self, forKey: .version), error)
        }
        guard record.sku.recordID == id else {
            throw UnreadableRecord(
                id: id, reason: "its sku, \(record.sku.text.shown), belongs to another id", version: version)
        }
    }
}

/// The members of an object that `Own` has no name for, by their names.
private struct ForeignMembers<Own: CodingKey>: Decodable {
    let members: [JSONObject.Member]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONObject.Key.self)
        members = try JSONObject(container) { Own(stringValue: $0) == nil }.members
    }
}
