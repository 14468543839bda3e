import RecordKit

// GET, PUT, PATCH and DELETE of one object.
extension StoreService {
    func read(_ request: StoreRequest, _ target: Target, _ list: ObjectTable.List) throws -> StoreResponse {
        let parameters = try QueryParameters(request.query)
        let object = try existing(target, list)
        let fields = parameters.list("_fields").flatMap { $0.isEmpty ? nil : $0 }
        var response = Self.response(object, fields: fields)
        response.headers.add("Cache-Control", "no-cache, no-store")
        return response
    }

    func put(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        let conditions = try Preconditions(request)
        let body = try ObjectBody(request)
        try target.checkID()
        let existing = try table.object(target.id, in: list)
        try conditions.check(existing, in: list)
        // Without data, an existing object only gets a new version.
        let data = body.data ?? existing?.fields ?? JSONObject()
        let written = try write(data, over: existing, target, &list)
        return Self.response(written, status: existing == nil ? 201 : 200, fields: request.wantedFields)
    }

    func patch(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        let conditions = try Preconditions(request)
        let body = try ObjectBody(request)
        let existing = try existing(target, list)
        try conditions.check(existing, in: list)
        guard !body.isEmpty else {
            throw StoreRefusal.invalid(.body, "data", "Provide at least one of data or permissions")
        }
        let fields = existing.fields.merging(body.data ?? JSONObject())
        return Self.response(try write(fields, over: existing, target, &list), fields: request.wantedFields)
    }

    func delete(_ request: StoreRequest, _ target: Target, _ list: inout ObjectTable.List) throws -> StoreResponse {
        let conditions = try Preconditions(request)
        let existing = try existing(target, list)
        try conditions.check(existing, in: list)
        let wanted = try QueryParameters(request.query).integer("last_modified")
        let later = wanted.flatMap { $0 > existing.version ? $0 : nil }
        let tombstone = try table.bury(target.id, version: later, in: target.path, &list)
        var writer = JSONWriter()
        writer.raw(#"{"data":"#)
        tombstone.write(to: &writer)
        writer.raw("}")
        return StoreResponse(version: tombstone.version, body: writer.bytes)
    }

    /// Writes an object, with the version in `fields` if that is later than the existing one.
    func write(
        _ fields: JSONObject, over existing: StoredObject?, _ target: Target, _ list: inout ObjectTable.List
    ) throws -> StoredObject {
        var fields = fields
        if let id = fields.remove("id"), id != .string(target.id) {
            throw StoreRefusal.invalid(.body, "id", "The id is not the one of the path")
        }
        var wanted = fields.remove("last_modified")?.integer
        if let existing, let version = wanted, version <= existing.version { wanted = nil }
        return try table.put(target.id, fields, version: wanted, in: target.path, &list)
    }

    static func response(_ object: StoredObject, status: Int = 200, fields: [String]? = nil) -> StoreResponse {
        var writer = JSONWriter()
        // The store has no accounts, so it permits writes to everyone. A minimal response has no permissions.
        writer.raw(fields == [] ? #"{"data":"# : #"{"permissions":{"write":["system.Everyone"]},"data":"#)
        object.write(fields, to: &writer)
        writer.raw("}")
        // The version is in the body. Dates take long to write, and a batch has many.
        return StoreResponse(status: status, version: fields == [] ? nil : object.version, body: writer.bytes)
    }

    private func existing(_ target: Target, _ list: ObjectTable.List) throws -> StoredObject {
        // A bucket with an invalid id gets the same response as a missing one.
        if target.path != .buckets { try target.checkID() }
        guard let object = try table.object(target.id, in: list) else { throw target.missing }
        return object
    }
}

extension StoreRequest {
    /// The fields of the response to a write: all, or none with `Prefer: return=minimal` (RFC 7240 section 4.2).
    fileprivate var wantedFields: [String]? { headers["Prefer"] == "return=minimal" ? [] : nil }
}

extension StoreService {
    /// The object of a request, which may not exist.
    struct Target {
        let id: String
        let path: ListPath

        func checkID() throws(StoreRefusal) {
            guard id.isKintoID else { throw .invalid(.path, nil, "Invalid object id") }
        }

        /// The refusal for a missing object. A missing bucket is forbidden, as if it belonged to another account.
        var missing: StoreRefusal {
            path == .buckets ? .forbidden : .missing(id, path.objectName)
        }
    }
}
