extension Record {
    /// The record with these fields as the other has them. A price comes with its currency, another quantity without a
    /// status brings the status that goes with it, and what becomes sold has no copies.
    func taking(_ fields: Set<RecordField>, from other: Record) -> Record {
        var record = self
        for field in fields {
            switch field {
            case .sku: record.sku = other.sku
            case .artist: record.artist = other.artist
            case .title: record.title = other.title
            case .label: record.label = other.label
            case .catalogueNumber: record.catalogueNumber = other.catalogueNumber
            case .format: record.format = other.format
            case .year: record.year = other.year
            case .country: record.country = other.country
            case .barcode: record.barcode = other.barcode
            case .mediaCondition: record.mediaCondition = other.mediaCondition
            case .sleeveCondition: record.sleeveCondition = other.sleeveCondition
            case .price, .currency: record.price = other.price
            case .quantity: record.quantity = other.quantity
            case .status: record.status = other.status
            case .location: record.location = other.location
            case .notes: record.notes = other.notes
            case .discogsListing: record.externalIDs.discogsListing = other.externalIDs.discogsListing
            case .discogsRelease: record.externalIDs.discogsRelease = other.externalIDs.discogsRelease
            }
        }
        if !fields.contains(.status) {
            record.adaptStatus(after: quantity)
        } else if record.status == .sold {
            record.quantity = 0
        }
        return record
    }

    /// What was for sale is sold with its last copy, and for sale again with the next one.
    ///
    /// - Parameter old: the quantity before.
    mutating func adaptStatus(after old: Int) {
        switch status {
        case .forSale where quantity == 0 && old > 0: status = .sold
        case .sold where quantity > old: status = .forSale
        default: break
        }
    }
}
