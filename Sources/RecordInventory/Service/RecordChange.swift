import RecordKit

/// A change of one record.
enum RecordChange: Sendable {
    /// Creates a record. Fails with a conflict if the SKU exists.
    case create(Record)
    /// Changes the fields that differ, and keeps those of other programs. Fails with a conflict if the record has
    /// another version, and with `notFound` if it was deleted. So does `delete`.
    case change(StoredRecord, to: Record)
    case delete(SKU, Version)

    /// Whether the change could undo one made at the same moment. A server creates an id only once.
    var needsLock: Bool {
        if case .create = self { false } else { true }
    }

    /// Returns the request for a batch.
    func json(in bucket: String) -> JSONValue {
        let path: RequestPath = "/buckets/\(bucket)/collections/records/records/\(sku.recordID)"
        let headers = condition.fields.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
        return .batched(method, path, headers: .object(JSONObject(headers)), body: data.map { .wrapped($0) })
    }

    var sku: SKU {
        switch self {
        case .create(let record), .change(_, let record): record.sku
        case .delete(let sku, _): sku
        }
    }

    private var method: HTTPMethod {
        switch self {
        case .create: .put
        case .change: .patch
        case .delete: .delete
        }
    }

    private var condition: HTTPHeaders {
        switch self {
        case .create: .ifNew
        case .change(let stored, _): .ifUnchanged(since: stored.version)
        case .delete(_, let version): .ifUnchanged(since: version)
        }
    }

    private var data: JSONValue? {
        switch self {
        case .create(let record): record.json
        case .change(let stored, let record): stored.changes(to: record)
        case .delete: nil
        }
    }
}

extension JSONValue {
    /// Returns a request for a batch.
    static func batched(
        _ method: HTTPMethod, _ path: RequestPath, headers: JSONValue = [:], body: JSONValue? = nil
    ) -> JSONValue {
        // Kinto 26.5.0 looks for `/batch` before it decodes a path. It takes such a path for a nested batch, and
        // refuses everything.
        var members = [
            JSONObject.Member(name: "method", value: .string(method.rawValue)),
            JSONObject.Member(name: "path", value: .string(path.encoded.replacing("/batch", with: "/%62atch"))),
            JSONObject.Member(name: "headers", value: headers),
        ]
        if let body { members.append(JSONObject.Member(name: "body", value: body)) }
        return .object(JSONObject(members))
    }
}
