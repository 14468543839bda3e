import RecordKit

/// A request to the store, alone or in a batch.
struct StoreRequest: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// The body of a request in a batch, which is parsed already.
        case json(JSONValue)
    }

    let method: HTTPMethod
    /// The percent-encoded path with its version: `/v1/buckets`.
    let path: String
    /// The percent-encoded query, without its question mark.
    var query: String?
    var headers = HTTPHeaders()
    var body: Body = .bytes([])
    /// Scheme, host and port for the URL of the next page: `http://127.0.0.1:8888`.
    var origin = ""

    var changesNothing: Bool { method == .get }
}

extension StoreRequest {
    /// Returns the body as JSON. A missing body is an empty object.
    func json() throws(StoreRefusal) -> JSONValue {
        switch body {
        case .json(let value):
            return value
        case .bytes(let bytes) where bytes.isEmpty:
            return [:]
        case .bytes(let bytes):
            do {
                return try JSONReader.read(bytes)
            } catch {
                throw .invalid(.body, "", "Invalid JSON: \(error)")
            }
        }
    }
}

/// The body of PUT and PATCH: `{"data": {…}}`.
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
