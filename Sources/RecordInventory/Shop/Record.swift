/// An item of the stock, or several alike: the same pressing in the same condition at the same price.
struct Record: Hashable, Sendable {
    var sku: SKU
    var artist: String
    var title: String
    var label: String?
    var catalogueNumber: String?
    /// The format in terms of the trade: `LP, Album`.
    var format: String?
    var year: Int?
    var country: String?
    var barcode: Barcode?
    var mediaCondition: MediaCondition?
    var sleeveCondition: SleeveCondition?
    var price: Money
    var quantity: Int
    var status: Status = .forSale
    /// The place in the shop: `A-12`.
    var location: String?
    var notes: String?
    /// The numbers of the listing and of the release at Discogs.
    var discogsListing: Int?
    var discogsRelease: Int?
    var genre: String?
    /// What one copy cost the shop, in the minor units of the price's currency.
    var cost: Int64?
    /// The owner of a record that is sold on commission.
    var consignor: String?
    /// The copies that are put aside for customers. Changed by movements alone.
    var reservations: [Reservation] = []

    /// The maximum number of UTF-8 bytes in a string, so that a row of a file has room for all fields.
    static let maximumTextSize = 65_536
    /// From the first recordings to well after today.
    static let years = 1860...2100
    /// The upper bound catches a barcode scanned into the wrong field.
    static let quantities = 0...1_000_000
}

/// The status of a record in the shop.
enum Status: String, CaseIterable, Sendable {
    case draft
    case forSale = "for_sale"
    case sold

    /// Parses `for_sale` and `For Sale` alike.
    init(_ text: String) throws(InvalidValue) {
        let name = text.trimmed.lowercased().replacing(" ", with: "_")
        guard let status = Status(rawValue: name) else {
            throw InvalidValue("not a status; use one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = status
    }
}

extension Record {
    /// Returns the record with some fields of another. A price brings its currency, and removes a cost in another one.
    /// A quantity without a status brings the matching status. A sold record has no copies.
    func taking(_ fields: Set<RecordField>, from other: Record) -> Record {
        var record = self
        for field in fields { field.access.copy(&record, other) }
        if record.price.currency != price.currency, !fields.contains(.cost) { record.cost = nil }
        if !fields.contains(.status) {
            record.adaptStatus(after: quantity)
        } else if record.status == .sold {
            record.quantity = 0
        }
        return record
    }

    /// Changes the status with the quantity: a record for sale becomes sold with its last copy, and for sale again with
    /// the next one.
    ///
    /// - Parameter old: The quantity before.
    mutating func adaptStatus(after old: Int) {
        switch status {
        case .forSale where quantity == 0 && old > 0: status = .sold
        case .sold where quantity > old: status = .forSale
        default: break
        }
    }
}
