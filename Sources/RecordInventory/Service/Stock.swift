import RecordKit
import RecordKitInterceptors

/// The stock of one shop, on any server.
struct Stock: Sendable {
    let server: NetworkConfiguration
    let shop: NetworkConfiguration
    let bucket: String
    /// Who makes the movements.
    var source: MovementSource
    /// Receives a sentence about a change whose response was lost, but which was made.
    var notice: @Sendable (String) -> Void = { _ in }
    /// The waits between questions whether a change was made whose response was lost.
    var questionDelays: [Duration] = [.zero, .milliseconds(500), .seconds(2), .seconds(4)]

    /// - Parameters:
    ///   - network: the configuration, with the server as its environment: `http://127.0.0.1:8888/v1`.
    ///   - bucket: the name of the shop.
    ///   - source: who makes the movements.
    init(_ network: NetworkConfiguration, bucket: String, source: MovementSource = MovementSource()) {
        self.source = source
        server = network
        self.bucket = bucket
        var shop = network
        shop.environment = network.environment?.appending("buckets/\(bucket)/collections/records")
        self.shop = shop
    }

    /// Reads a record.
    ///
    /// - Throws: ``InventoryError/notFound`` if the record does not exist, ``InventoryError/noShop`` if the shop does
    ///   not.
    func fetch(_ sku: SKU) async throws(InventoryError) -> StoredRecord {
        try await shop.value(for: RecordService.One.fetch(sku))
    }

    /// Reads a record, or returns `nil` if it or the shop does not exist.
    func find(_ sku: SKU) async throws(InventoryError) -> StoredRecord? {
        do {
            return try await fetch(sku)
        } catch {
            switch error {
            case .notFound, .noShop: return nil
            default: throw error
            }
        }
    }

    /// Passes the matching records to `body`, ordered by id, page by page, until the end or until `body` returns false.
    ///
    /// - Throws: ``InventoryError/noShop`` if the shop does not exist, and whatever `body` throws.
    func eachPage(_ filter: RecordFilter = RecordFilter(), _ body: (RecordPage) throws -> Bool) async throws {
        var request = RecordService.Many.list(filter)
        var seen: Set<RecordPage.Token> = []
        while true {
            let page = try await shop.value(for: request)
            // A server that repeats a page would cause an endless loop.
            guard try body(page), let next = page.next, seen.insert(next).inserted else { return }
            request = .next(next)
        }
    }
}

/// There are fewer copies than requested, or more than a record can have.
struct StockShortage: Error, CustomStringConvertible {
    let record: Record
    /// The number of copies to add, or to take if it is negative.
    let wanted: Int

    var description: String {
        let (sku, quantity) = (record.sku.text, record.quantity)
        if wanted < 0 { return "there are not enough copies of \(sku): \(quantity) in stock, \(-wanted) wanted" }
        let limit = Record.quantities.upperBound
        return "\(sku) can have at most \(limit) copies: \(quantity) in stock, \(wanted) more wanted"
    }
}
