// Listings of Discogs. One that comes in under its number, or under a SKU, and then under another, would be in stock
// twice, and its copies for sale twice.
extension ImportWriter {
    /// Takes out the rows of listings that are in stock under another SKU, or come in under one with a row before, and
    /// gives them back rejected.
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
