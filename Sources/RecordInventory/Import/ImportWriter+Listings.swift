// Listings of Discogs. A listing imported under two SKUs would be in stock twice, and sold twice.
extension ImportWriter {
    /// Removes the rows whose listing has another SKU in stock or in an earlier row, and returns their errors.
    mutating func rejectRenamed(_ rows: inout [ImportRow]) async throws -> [RowError] {
        guard rows.contains(where: { $0.record.discogsListing != nil }) else { return [] }
        var listings: [Int: Set<String>]
        if let known = self.listings { listings = known } else { listings = try await readListings() }
        var kept: [ImportRow] = []
        var rejected: [RowError] = []
        for row in rows {
            let sku = row.record.sku.text
            if let listing = row.record.discogsListing {
                if let names = listings[listing], let name = names.min(), !names.contains(sku) {
                    let advice = "delete that one, or make it the row's external_id"
                    rejected.append(row.rejected("this listing already has the SKU \(name): \(advice)"))
                    continue
                }
                if row.record.quantity > 0 { listings[listing, default: []].insert(sku) }
            }
            kept.append(row)
        }
        rows = kept
        self.listings = listings
        return rejected
    }

    /// Returns the SKUs of each listing in stock.
    private func readListings() async throws -> [Int: Set<String>] {
        var listings: [Int: Set<String>] = [:]
        do {
            try await stock.eachPage { page in
                // A record without copies cannot be sold twice.
                for record in page.items.lazy.map(\.record) where record.quantity > 0 {
                    guard let listing = record.discogsListing else { continue }
                    listings[listing, default: []].insert(record.sku.text)
                }
                for id in page.unreadable.map(\.id) where id.hasPrefix("discogs-") {
                    if let listing = Int(id.dropFirst(8)) { listings[listing, default: []].insert(id) }
                }
                return true
            }
        } catch InventoryError.noShop {
            // The shop does not exist, so nothing is in stock.
        }
        return listings
    }
}
