// Listings of Discogs. A listing imported under two SKUs would be in stock twice, and sold twice.
extension ImportWriter {
    /// Removes the rows whose listing has another SKU in stock or in an earlier row, and returns their errors.
    mutating func rejectRenamed(_ rows: inout [ImportRow]) async throws -> [RowError] {
        guard rows.contains(where: { $0.record.externalIDs.discogsListing != nil }) else { return [] }
        var listings: [Int: Set<String>]
        if let known = self.listings { listings = known } else { listings = try await readListings() }
        var kept: [ImportRow] = []
        var rejected: [RowError] = []
        for row in rows {
            let sku = row.record.sku.text
            if let listing = row.record.externalIDs.discogsListing {
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
        func add(_ id: String, _ record: Record?) {
            // A record without copies cannot be sold twice.
            if let record, record.quantity > 0, let listing = record.externalIDs.discogsListing {
                listings[listing, default: []].insert(record.sku.text)
            } else if record == nil, id.hasPrefix("discogs-"), let listing = Int(id.dropFirst(8)) {
                listings[listing, default: []].insert(id)
            }
        }
        do {
            try await stock.eachPage { page in
                for stored in page.records { add(stored.record.sku.recordID, stored.record) }
                for record in page.unreadable { add(record.id, nil) }
                return true
            }
        } catch InventoryError.noShop {
            // The shop does not exist, so nothing is in stock.
        }
        return listings
    }
}
