import RecordKit

/// One request to the store, from outside or from within a batch.
struct StoreRequest: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// A batch's request brings its body parsed.
        case json(JSONValue)
    }

    let method: HTTPMethod
    /// Percent-encoded, with its version prefix: `/v1/buckets`.
    let path: String
    /// As it stands in the URL, without its question mark.
    var query: String?
    var headers = HTTPHeaders()
    var body: Body = .bytes([])
    /// Scheme, host and port, which begin the URL of a next page: `http://127.0.0.1:8888`.
    var origin = ""

    var changesNothing: Bool {
        method == .get || method == .head
    }
}
