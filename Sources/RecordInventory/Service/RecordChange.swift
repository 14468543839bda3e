import RecordKit

/// One change of one record.
enum RecordChange: Sendable {
    /// Fails with a conflict when the SKU is taken.
    case create(Record)
    /// Changes the fields that differ, and leaves alone what other programs keep in the record. Fails, like `delete`,
    /// with a conflict when the record is not of that version, and when it is gone it is not found.
    case change(StoredRecord, to: Record)
    case delete(SKU, Version)

    /// Whether it could undo what somebody else did in the same moment. A server creates an id once, whoever asks.
    var needsLock: Bool {
        if case .create = self { false } else { true }
    }

    /// As a batch has it.
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
    /// One request of a batch.
    static func batched(
        _ method: HTTPMethod, _ path: RequestPath, headers: JSONValue = [:], body: JSONValue? = nil
    ) -> JSONValue {
        // Kinto looks for `/batch` in a path before it decodes it, takes it for a batch within the batch, and refuses
        // the whole.
        var members = [
            JSONObject.Member(name: "method", value: .string(method.rawValue)),
            JSONObject.Member(name: "path", value: .string(path.encoded.replacing("/batch", with: "/%62atch"))),
            JSONObject.Member(name: "headers", value: headers),
        ]
        if let body { members.append(JSONObject.Member(name: "body", value: body)) }
        return .object(JSONObject(members))
    }
}
