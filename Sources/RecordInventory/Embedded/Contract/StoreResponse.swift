import Foundation
import RecordKit

/// The store's answer to one request.
struct StoreResponse: Sendable {
    var status: Int
    var headers = HTTPHeaders()
    /// JSON, or nothing.
    var body: [UInt8] = []

    /// The answer to a conditional read of what has not changed.
    static func notModified(version: Int64) -> StoreResponse {
        StoreResponse(status: 304, headers: versionHeaders(version))
    }

    init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a body, and the version of what it shows.
    init(status: Int = 200, version: Int64?, body: [UInt8]) {
        self.status = status
        self.body = body
        if let version { headers = Self.versionHeaders(version) }
        headers.add("Content-Type", "application/json")
    }

    static func versionHeaders(_ version: Int64) -> HTTPHeaders {
        let date = HTTPDate(Date(timeIntervalSince1970: Double(version) / 1_000))
        return ["ETag": "\"\(version)\"", "Last-Modified": date.description]
    }
}
