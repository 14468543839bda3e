import Foundation
import RecordKit
import RecordKitInterceptors

/// A page of a list.
struct RecordPage: Sendable {
    private(set) var records: [StoredRecord] = []
    private(set) var unreadable: [UnreadableRecord] = []
    /// The query of the next page, or `nil` on the last.
    let next: RequestQuery?

    init(_ response: NetworkResponse) throws {
        next = response.nextQuery
        for object in try response.data(as: [JSONObject].self) {
            do {
                records.append(try StoredRecord(object))
            } catch let error as UnreadableRecord {
                unreadable.append(error)
            }
        }
    }
}
