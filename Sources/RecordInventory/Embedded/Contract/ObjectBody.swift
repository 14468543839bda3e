/// The body of PUT, POST and of PATCH by fields: `{"data": {…}}`.
struct ObjectBody {
    let data: [JSONKey: JSONValue]?
    let isEmpty: Bool

    init(_ request: StoreRequest) throws(StoreRefusal) {
        guard let members = try request.json().object else {
            throw .invalid(.body, "", "The body should be a JSON object")
        }
        if let unknown = members.keys.filter({ $0 != "data" && $0 != "permissions" }).min() {
            throw .invalid(.body, "", "Unrecognized keys in mapping: \(unknown)")
        }
        for key in ["data", "permissions"] {
            if let member = members[JSONKey(key)], member.object == nil {
                throw .invalid(.body, key, "\(key) should be a JSON object")
            }
        }
        data = members["data"]?.object
        isEmpty = members.isEmpty
    }
}
