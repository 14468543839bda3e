/// A record as a server keeps it.
struct StoredRecord: Sendable, Hashable {
    var record: Record
    var version: Version
    /// What other programs keep inside the record's own objects, by the name of the object.
    private var foreign: [String: [OrderedJSON.Member]] = [:]

    init(record: Record, version: Version) {
        self.record = record
        self.version = version
    }

    /// The members that make it the other record. An object is sent as a whole, with what others keep in it.
    func changes(to other: Record) -> OrderedJSON {
        guard case .object(let members) = other.json.members(unlike: record.json) else { return other.json }
        return .object(members.map { .init(name: $0.name, value: $0.value.adding(foreign[$0.name] ?? [])) })
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
    let members: [OrderedJSON.Member]

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: OrderedJSON.Name.self)
        members = try OrderedJSON.members(of: object) { Own(stringValue: $0.stringValue) == nil }
    }
}
