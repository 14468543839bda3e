import RecordKit

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

/// When a record was last written, in the server's milliseconds: its ETag without the quotes.
struct Version: Hashable, Sendable, Decodable {
    let milliseconds: Int64

    init(_ milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    init(from decoder: any Decoder) throws {
        milliseconds = try Int64(from: decoder)
    }

    /// As `If-Match` wants it (RFC 9110 section 8.8.3).
    var entityTag: String { "\"\(milliseconds)\"" }
}

extension HTTPHeaders {
    /// Only if the record is still what it was.
    static func ifUnchanged(since version: Version) -> HTTPHeaders {
        ["If-Match": version.entityTag]
    }

    /// Only if there is no such record yet.
    static let ifNew: HTTPHeaders = ["If-None-Match": "*"]
}

/// A record of the server's that somebody else wrote, and that is none of ours.
struct UnreadableRecord: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    let reason: String
    var version: Version?

    var description: String {
        "the record \(SKU(recordID: id)?.text ?? "with the id \(id)") cannot be read: \(reason)"
    }
}

extension UnreadableRecord {
    init(id: String, version: Version?, _ error: any Error) {
        func name(_ path: [any CodingKey]) -> String {
            path.filter { $0.intValue == nil && $0.stringValue != "data" }.map(\.stringValue).joined(separator: ".")
        }
        let reason: String
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            reason = "it has no \(name(context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context): reason = "its \(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context):
            reason = "its \(name(context.codingPath)) is not of the right kind"
        case DecodingError.dataCorrupted(let context):
            reason = "its \(name(context.codingPath)) is not right: \(context.debugDescription)"
        // On Linux Foundation throws an error of its own here, which names no place.
        default: reason = "it holds a number that is too large, or no whole one"
        }
        self.init(id: id, reason: reason, version: version)
    }
}
