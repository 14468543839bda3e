import Foundation
import RecordKit
import RecordKitInterceptors

/// A page of a list.
struct RecordPage: Sendable {
    private(set) var records: [StoredRecord] = []
    private(set) var unreadable: [UnreadableRecord] = []
    /// The token for the next page, or `nil` on the last.
    let next: Token?

    struct Token: Sendable, Hashable {
        let query: RequestQuery
    }

    init(_ response: NetworkResponse) throws {
        next = response.headers["Next-Page"].flatMap { Token(url: $0) }
        for object in try response.data(as: [JSONObject].self) {
            do {
                records.append(try StoredRecord(object))
            } catch let error as UnreadableRecord {
                unreadable.append(error)
            }
        }
    }
}

extension RecordPage.Token {
    /// Takes only the query of the URL, so that credentials are never sent to another server.
    init?(url: String) {
        guard let mark = url.firstIndex(of: "?") else { return nil }
        // Kinto encodes a space as a plus sign, as in forms, and a plus sign as `%2B`.
        query = RequestQuery(parsing: String(url[mark...].dropFirst()))
    }
}
