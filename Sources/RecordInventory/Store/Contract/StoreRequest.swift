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

    /// Whether the request only reads. So does a batch of such requests, once it is ``parsed``.
    var changesNothing: Bool {
        if method == .get || method == .head { return true }
        guard method == .post, case .json(let json) = body, path == StoreRoute.prefix + "/batch",
            let requests = json.object?["requests"]?.array
        else { return false }
        return requests.allSatisfy { $0.object?["method"]?.string == "GET" }
    }

    /// The request with the JSON of a batch parsed, so that it is parsed once.
    var parsed: StoreRequest {
        guard method == .post, path == StoreRoute.prefix + "/batch", case .bytes(let bytes) = body,
            let json = try? JSONReader.read(bytes)
        else { return self }
        var request = self
        request.body = .json(json)
        return request
    }
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
