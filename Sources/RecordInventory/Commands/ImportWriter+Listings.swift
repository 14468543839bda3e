// Listings of Discogs. One that comes in under its number, or under a SKU, and then under another, would be in stock
// twice, and its copies for sale twice.
extension ImportWriter {
    /// Takes out the rows of listings that are in stock under another SKU, and gives them back rejected.
    mutating func rejectRenamed(_ rows: inout [Row]) async throws -> [RowError] {
        guard rows.contains(where: { $0.record.externalIDs.discogsListing != nil }) else { return [] }
        let listings: [Int: Set<String>]
        if let known = self.listings { listings = known } else { listings = try await readListings() }
        self.listings = listings
        var rejected: [RowError] = []
        rows.removeAll { row in
            guard let listing = row.record.externalIDs.discogsListing, let names = listings[listing],
                let name = names.min(), !names.contains(row.record.sku.text)
            else { return false }
            let reason = "this listing is in stock as \(name): delete that one, or make it the row's external_id"
            rejected.append(row.rejected(reason))
            return true
        }
        return rejected
    }

    /// The SKUs of each listing that is in stock.
    private func readListings() async throws -> [Int: Set<String>] {
        var listings: [Int: Set<String>] = [:]
        func add(_ id: String, _ record: Record?) {
            // What is sold out is for sale no second time.
            if let record, record.quantity > 0, let listing = record.externalIDs.discogsListing {
                listings[listing, default: []].insert(record.sku.text)
            } else if record == nil, id.hasPrefix("discogs-"), let listing = Int(id.dropFirst(8)) {
                listings[listing, default: []].insert(id)
            }
        }
        if let known {
            for (id, record) in known { add(id, record) }
            return listings
        }
        do {
            try await stock.eachPage { page in
                for stored in page.records { add(stored.record.sku.recordID, stored.record) }
                for record in page.unreadable { add(record.id, nil) }
                return true
            }
        } catch InventoryError.noShop {
            // Nothing is in stock.
        }
        return listings
    }
}
