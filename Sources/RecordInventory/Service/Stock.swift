import RecordKit

/// The stock of one shop: what the commands do with it, on whichever server it is.
struct Stock: Sendable {
    let server: NetworkConfiguration
    let shop: NetworkConfiguration
    let bucket: String

    /// - Parameters:
    ///   - network: its environment is the server, such as `http://127.0.0.1:8888/v1`.
    ///   - bucket: the shop's name.
    init(_ network: NetworkConfiguration, bucket: String) {
        server = network
        self.bucket = bucket
        var shop = network
        shop.environment = network.environment?.appending("buckets/\(bucket)/collections/records")
        self.shop = shop
    }

    /// - Throws: ``InventoryError/notFound`` when there is no such record, ``InventoryError/noShop`` when there is no
    ///   shop to look in.
    func fetch(_ sku: SKU) async throws(InventoryError) -> StoredRecord {
        try await shop.value(for: RecordService.One.fetch(sku))
    }

    /// Nil when there is no such record. In a shop that does not exist yet there is none.
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

    /// The records that fit, by id, page by page, until there are no more or `body` returns false.
    ///
    /// - Throws: ``InventoryError/noShop`` when there is no shop to look in, and whatever `body` throws.
    func eachPage(_ filter: RecordFilter = RecordFilter(), _ body: (RecordPage) throws -> Bool) async throws {
        var request = RecordService.Many.list(filter)
        var seen: Set<RecordPage.Token> = []
        while true {
            let page = try await shop.value(for: request)
            // A server that names the same page twice would keep us for ever.
            guard try body(page), let next = page.next, seen.insert(next).inserted else { return }
            request = .next(next)
        }
    }
}

/// Fewer copies than are wanted, or more than a record can have.
struct StockShortage: Error, CustomStringConvertible {
    let record: Record
    /// How many were to be added; negative when taken.
    let wanted: Int

    var description: String {
        let (sku, quantity) = (record.sku.text, record.quantity)
        if wanted < 0 { return "there are not enough copies of \(sku): \(quantity) in stock, \(-wanted) wanted" }
        let limit = Record.quantities.upperBound
        return "\(sku) can have \(limit) copies at the most: \(quantity) in stock, \(wanted) more wanted"
    }
}
