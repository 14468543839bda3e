import RecordKitJSON
import RecordKit

// GET, PUT, PATCH and DELETE of one object.
extension StoreService {
    func read(_ target: Target, _ list: ObjectTable.List) throws -> StoreResponse {
        Self.response(try existing(target, list))
    }

    func put(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        guard target.id.isKintoID else { throw StoreRefusal.invalid("\(target.id) is not an id") }
        let data = try request.data()
        let existing = try table.object(target.id, in: list)
        try request.checkConditions(existing)
        let written = try write(data, over: existing, target, &list)
        return Self.response(written, status: existing == nil ? 201 : 200, isMinimal: request.wantsMinimum)
    }

    func patch(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        let data = try request.data()
        let existing = try existing(target, list)
        try request.checkConditions(existing)
        let written = try write(existing.fields.merging(data), over: existing, target, &list)
        return Self.response(written, isMinimal: request.wantsMinimum)
    }

    func delete(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        // The tool deletes no shop.
        guard case .records = target.path else { throw StoreRefusal.method }
        try request.checkConditions(existing(target, list))
        return Self.response(try table.bury(target.id, &list))
    }

    /// Writes an object, with the version in `fields` if that is later than the existing one.
    private func write(
        _ fields: JSONObject, over existing: StoredObject?, _ target: Target, _ list: inout ObjectTable.List
    ) throws -> StoredObject {
        var fields = fields
        var wanted = fields.remove("last_modified")?.integer
        fields["id"] = nil
        if let existing, let version = wanted, version <= existing.version { wanted = nil }
        return try table.put(target.id, fields, version: wanted, in: target.path, &list)
    }

    private static func response(_ object: StoredObject, status: Int = 200, isMinimal: Bool = false) -> StoreResponse {
        var writer = JSONText()
        // The store has no accounts, so it permits writes to everyone. A minimal response has no permissions.
        writer.raw(isMinimal ? #"{"data":"# : #"{"permissions":{"write":["system.Everyone"]},"data":"#)
        object.write(isMinimal: isMinimal, to: &writer)
        writer.raw("}")
        return StoreResponse(status: status, writer.bytes)
    }

    private func existing(_ target: Target, _ list: ObjectTable.List) throws -> StoredObject {
        guard let object = try table.object(target.id, in: list) else { throw target.missing }
        return object
    }
}

extension StoreRequest {
    /// Whether the response needs no fields but id and version: `Prefer: return=minimal` (RFC 7240 section 4.2).
    fileprivate var wantsMinimum: Bool { headers["Prefer"] == "return=minimal" }
}

extension StoreService {
    /// The object of a request, which may not exist.
    struct Target {
        let id: String
        let path: ListPath

        /// The refusal for a missing object. A missing bucket is forbidden, as if it belonged to another account.
        var missing: StoreRefusal {
            path == .buckets ? .forbidden : .missing(id, path.objectName)
        }
    }
}
