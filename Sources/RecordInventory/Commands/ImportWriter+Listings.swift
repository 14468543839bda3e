// Listings of Discogs. A listing without a SKU of its own comes in under its number; once it has one, its next row would
// come in beside that record, and one copy would be for sale twice.
extension ImportWriter {
    /// Takes out the rows of listings that are in stock under their number, and gives them back rejected.
    mutating func rejectRenamed(_ rows: inout [Row]) async throws -> [RowError] {
        guard rows.contains(where: { $0.numberedSKU != nil }) else { return [] }
        let listings: Set<String>
        if let known = self.listings { listings = known } else { listings = try await readListings() }
        self.listings = listings
        var rejected: [RowError] = []
        rows.removeAll { row in
            guard let sku = row.numberedSKU, listings.contains(sku) else { return false }
            let reason = "this listing is in stock as \(sku): delete that one, or remove the row's external_id"
            rejected.append(row.rejected(reason))
            return true
        }
        return rejected
    }

    private func readListings() async throws -> Set<String> {
        if let known { return Set(known.filter { $0.value?.quantity != 0 }.keys) }
        var listings: Set<String> = []
        do {
            // "." follows "-".
            try await stock.eachPage(RecordFilter(ids: "discogs-"..<"discogs.")) { page in
                // What is sold out is for sale no second time.
                listings.formUnion(page.records.filter { $0.record.quantity > 0 }.map(\.record.sku.recordID))
                listings.formUnion(page.unreadable.map(\.id))
                return true
            }
        } catch InventoryError.noShop {
            // Nothing is in stock.
        }
        return listings
    }
}

extension ImportWriter.Row {
    /// The SKU that the row's listing had before it got another one.
    fileprivate var numberedSKU: String? {
        let sku = record.externalIDs.discogsListing.map { "discogs-\($0)" }
        return sku == record.sku.text ? nil : sku
    }
}
