/// A record as a server keeps it.
struct StoredRecord: Sendable, Hashable {
    var record: Record
    var version: Version
}

extension StoredRecord: Decodable {
    fileprivate enum Name: String, CodingKey {
        case id
        case version = "last_modified"
    }

    /// - Throws: ``UnreadableRecord`` for an object with an id, and a `DecodingError` for anything else.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        let id = try members.decode(String.self, forKey: .id)
        do {
            record = try Record(from: decoder)
            version = try members.decode(Version.self, forKey: .version)
        } catch {
            throw UnreadableRecord(id: id, version: try? members.decode(Version.self, forKey: .version), error)
        }
        guard record.sku.recordID == id else {
            throw UnreadableRecord(
                id: id, reason: "its sku, \(record.sku.text.shown), belongs to another id", version: version)
        }
    }
}

/// A record of a list, where one that cannot be read leaves the others as they are.
struct ListedRecord: Decodable {
    let result: Result<StoredRecord, UnreadableRecord>

    init(from decoder: any Decoder) throws {
        do {
            result = .success(try StoredRecord(from: decoder))
        } catch let error as UnreadableRecord {
            result = .failure(error)
        }
    }
}
