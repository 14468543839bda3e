import Foundation
import RecordKit

@testable import RecordInventory

extension EmbeddedStore {
    /// Returns the number of the shop's records that match a query, such as `price.amount=1100`.
    func records(_ query: String = "") async throws -> Int {
        let path = "/v1/buckets/shop/collections/records/records"
        let response = try await respond(to: StoreRequest(method: .head, path: path, query: query))
        return Int(response.headers["Total-Objects"] ?? "") ?? 0
    }
}
