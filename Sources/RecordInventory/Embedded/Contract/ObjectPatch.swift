/// The body of a PATCH: fields to set, fields to merge (RFC 7396), or operations (RFC 6902).
enum ObjectPatch {
    static let merge = "application/merge-patch+json"
    static let operations = "application/json-patch+json"

    case fields([JSONKey: JSONValue])
    case mergedFields([JSONKey: JSONValue])
    case operations(JSONPatch)
    /// Neither data nor permissions, which is an error once the object is known to be there.
    case nothing

    init(_ request: StoreRequest) throws(StoreRefusal) {
        if request.mediaType == Self.operations {
            self = .operations(try JSONPatch(try request.json()))
            return
        }
        let body = try ObjectBody(request)
        if body.isEmpty {
            self = .nothing
            return
        }
        let fields = body.data ?? [:]
        self = request.mediaType == Self.merge ? .mergedFields(fields) : .fields(fields)
    }

    /// The fields after the patch, and those that the patch itself gives.
    func apply(to old: [JSONKey: JSONValue]) throws(StoreRefusal) -> (
        new: [JSONKey: JSONValue], given: [JSONKey: JSONValue]
    ) {
        switch self {
        case .fields(let fields):
            return (old.merging(fields) { $1 }, fields)
        case .mergedFields(let fields):
            return (Self.merging(fields, into: old), fields)
        case .operations(let patch):
            let document = try patch.apply(to: ["data": .object(old), "permissions": ["read": [:], "write": [:]]])
            guard let data = document.object?["data"]?.object else {
                throw .invalid(.body, nil, "JSON Patch operation failed: data is no object any more")
            }
            return (data, data)
        case .nothing:
            throw .invalid(.body, "data", "Provide at least one of data or permissions")
        }
    }

    private static func merging(_ changes: [JSONKey: JSONValue], into old: [JSONKey: JSONValue]) -> [JSONKey: JSONValue]
    {
        var merged = old
        for (key, change) in changes {
            switch change {
            case .null: merged[key] = nil
            case .object(let inner): merged[key] = .object(merging(inner, into: old[key]?.object ?? [:]))
            default: merged[key] = change
            }
        }
        return merged
    }
}
