/// The store's answer to one request.
struct StoreResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    /// JSON, or nothing.
    var body: [UInt8] = []

    /// The answer to a conditional read of what has not changed.
    static func notModified(version: Int64) -> StoreResponse {
        StoreResponse(status: 304, headers: versionHeaders(version))
    }

    init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a body, and the version of what it shows.
    init(status: Int = 200, version: Int64?, body: [UInt8]) {
        self.status = status
        self.headers = (version.map(Self.versionHeaders) ?? []) + [("Content-Type", "application/json")]
        self.body = body
    }

    static func versionHeaders(_ version: Int64) -> [(name: String, value: String)] {
        [("ETag", "\"\(version)\""), ("Last-Modified", HTTPDateText.text(milliseconds: version))]
    }
}
