/// The body of PUT, POST and of PATCH by fields: `{"data": {…}}`.
struct ObjectBody {
    let data: JSONObject?
    let isEmpty: Bool

    init(_ request: StoreRequest) throws(StoreRefusal) {
        guard let members = try request.json().object else {
            throw .invalid(.body, "", "The body should be a JSON object")
        }
        try members.check(["data", "permissions"], "")
        for key in ["data", "permissions"] {
            if let member = members[key], member.object == nil {
                throw .invalid(.body, key, "\(key) should be a JSON object")
            }
        }
        data = members["data"]?.object
        isEmpty = members.members.isEmpty
    }
}
