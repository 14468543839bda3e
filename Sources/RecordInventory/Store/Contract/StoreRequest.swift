import Foundation
import RecordKitJSON
import RecordKit

/// A request to the store, alone or in a batch.
struct StoreRequest: Sendable {
    enum Body: Sendable {
        case bytes(Data)
        /// The body of a request in a batch, which is parsed already.
        case parsed(JSONView)
    }

    let method: HTTPMethod
    /// The percent-encoded path with its version: `/v1/buckets`.
    let path: String
    /// The percent-encoded query, without its question mark.
    var query: String?
    var headers = HTTPHeaders()
    var body: Body = .bytes(Data())

    /// Whether the request only reads. So does a batch of such requests, once it is ``parsed``.
    var changesNothing: Bool {
        if method == .get || method == .head { return true }
        guard method == .post, case .parsed(let json) = body, path == StoreRoute.prefix + "/batch",
            let requests = json.last("requests")?.elements
        else { return false }
        return requests.allSatisfy { $0.last("method")?.string == "GET" }
    }

    /// The request with the JSON of a batch parsed, so that it is parsed once.
    var parsed: StoreRequest {
        guard method == .post, path == StoreRoute.prefix + "/batch", case .bytes(let bytes) = body,
            let json = try? JSONView(stored: bytes)
        else { return self }
        var request = self
        request.body = .parsed(json)
        return request
    }
}

extension StoreRequest {
    /// Returns the object in the body, or `nil` if there is no body.
    func object() throws(StoreRefusal) -> JSONView? {
        let json: JSONView?
        switch body {
        case .parsed(let value): json = value
        case .bytes(let bytes) where bytes.isEmpty: return nil
        case .bytes(let bytes): json = try? JSONView(stored: bytes)
        }
        guard let json, json.isObject else { throw .invalid("the body is not a JSON object") }
        return json
    }

    /// Returns the data of a PUT or a PATCH: `{"data": {…}}`.
    func data() throws(StoreRefusal) -> JSONObject {
        try object()?.last("data").flatMap { try? JSONObject(json: $0) } ?? JSONObject()
    }

    /// The parameters of a list.
    var parameters: RequestQuery { RequestQuery(parsing: query ?? "") }

    /// Throws 412 unless the conditions of a write hold for an object, or for its absence: `If-Match` with a version,
    /// and
    /// `If-None-Match: *` (RFC 9110 section 13.1).
    func checkConditions(_ existing: StoredObject?) throws(StoreRefusal) {
        let (match, tag) = (headers["If-Match"], existing.map { Version($0.version).entityTag })
        guard match == nil || match == tag, existing == nil || headers["If-None-Match"] == nil else {
            throw .changedMeanwhile(existing)
        }
    }
}
