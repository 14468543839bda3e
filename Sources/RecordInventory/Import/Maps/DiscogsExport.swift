/// The inventory export of Discogs, with 19 columns. Skips unknown columns, and those without a field: `listed`,
/// `accept_offer`, `weight` and `format_quantity`.
struct DiscogsExport: RowFormat {
    /// Lacks the SKU, which finds the record, and the currency, which comes with the price. Status and quantity
    /// always count: a row may leave them empty.
    let named: Set<RecordField>
    private let count: Int
    private let sku: Int?
    private let listing: Int
    private let status: Int?
    private let columns: [(field: RecordField, column: Int)]
    private let hasDecimalCommas: Bool

    private static let names: [(RecordField, String)] = [
        (.artist, "artist"), (.title, "title"), (.label, "label"), (.catalogueNumber, "catno"), (.format, "format"),
        (.mediaCondition, "media_condition"), (.sleeveCondition, "sleeve_condition"), (.price, "price"),
        (.quantity, "quantity"), (.location, "location"), (.notes, "comments"), (.discogsListing, "listing_id"),
        (.discogsRelease, "release_id"),
    ]

    var namesCurrency: Bool { false }

    init(_ header: [String], isUpdate: Bool, hasDecimalCommas: Bool) throws(ImportError) {
        let needed = ["listing_id"] + (isUpdate ? [] : ["artist", "title", "price"])
        let missing = needed.filter { !header.contains($0) }
        guard missing.isEmpty, let listing = header.firstIndex(of: "listing_id") else { throw .missingColumns(missing) }
        guard !header.contains("sku") else { throw .bothFormats }
        for (_, name) in Self.names where header.count(where: { $0 == name }) > 1 {
            throw .repeatedColumn(name)
        }
        count = header.count
        sku = header.firstIndex(of: "external_id")
        status = header.firstIndex(of: "status")
        columns = Self.names.compactMap { field, name in header.firstIndex(of: name).map { (field, $0) } }
        named = Set(columns.map(\.field) + [.status, .quantity])
        self.listing = listing
        self.hasDecimalCommas = hasDecimalCommas
    }

    func record(from row: CSVRow) -> RowRecord {
        func text(_ column: Int?) -> String? {
            guard let column, column < row.count else { return nil }
            let text = row[column]
            return text.trimmed.isEmpty ? nil : text
        }
        var result = RowRecord(row, columns: count, hasDecimalCommas: hasDecimalCommas)
        if let name = text(sku) ?? text(listing).map({ "discogs-\($0.trimmed)" }) {
            result.set(.sku, to: name)
        }
        for (field, column) in columns {
            if column >= row.count { result.absent.append(field) }
            result.set(field, to: text(column))
        }
        if let status = text(status) { result.setStatus(status) }
        return result
    }
}

extension RowRecord {
    /// Sets the status. A listing that Discogs took off sale becomes a draft, to be reviewed.
    mutating func setStatus(_ status: String) {
        switch status.trimmed.lowercased() {
        case "expired", "suspended", "violation":
            set(.status, to: Status.draft.rawValue)
            notes.append("status \"\(status.shown)\" became draft")
        case "deleted": errors.append("the listing was deleted on Discogs")
        default: set(.status, to: status)
        }
    }
}
