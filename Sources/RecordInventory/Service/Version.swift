import RecordKit

/// When a record was last written, in the server's milliseconds: its ETag without the quotes.
struct Version: Hashable, Sendable, Decodable {
    let milliseconds: Int64

    init(_ milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    init(from decoder: any Decoder) throws {
        milliseconds = try Int64(from: decoder)
    }

    /// As `If-Match` wants it (RFC 9110 section 8.8.3).
    var entityTag: String { "\"\(milliseconds)\"" }
}

extension HTTPHeaders {
    /// Only if the record is still what it was.
    static func ifUnchanged(since version: Version) -> HTTPHeaders {
        ["If-Match": version.entityTag]
    }

    /// Only if there is no such record yet.
    static let ifNew: HTTPHeaders = ["If-None-Match": "*"]
}
