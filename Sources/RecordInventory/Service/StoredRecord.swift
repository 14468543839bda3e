/// A record as a server keeps it.
struct StoredRecord: Sendable, Hashable {
    var record: Record
    var version: Version
}

extension StoredRecord: Decodable {
    private enum Name: String, CodingKey {
        case version = "last_modified"
    }

    init(from decoder: any Decoder) throws {
        record = try Record(from: decoder)
        version = try decoder.container(keyedBy: Name.self).decode(Version.self, forKey: .version)
    }
}
