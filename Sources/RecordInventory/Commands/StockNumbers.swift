/// The SKUs in stock that a spreadsheet takes for numbers.
///
/// A spreadsheet saves the SKU 00042 as 42, which an import would add as another record.
struct StockNumbers {
    let stock: Stock
    /// The SKUs by the numbers that a spreadsheet may save for them. `nil` before they are needed.
    private var skus: [SpreadsheetNumber: String]?

    init(stock: Stock) {
        self.stock = stock
    }

    /// Removes the rows whose SKU is not in stock, but is numerically equal to one that is. Returns their errors.
    mutating func rejectSimilar(_ rows: inout [ImportRow]) async throws -> [RowError] {
        let numbers = rows.map { SpreadsheetNumber($0.record.sku.text) }
        guard numbers.contains(where: { $0 != nil }) else { return [] }
        let skus = try await known()
        var similar: [SKU: String] = [:]
        for (row, number) in zip(rows, numbers) {
            let sku = row.record.sku
            if let number, let other = skus[number], other != sku.text { similar[sku] = other }
        }
        if similar.isEmpty { return [] }
        for id in try await stock.find(Array(similar.keys)).keys {
            if let sku = SKU(recordID: id) { similar[sku] = nil }
        }
        let rejected = rows.compactMap { row in
            similar[row.record.sku].map { other in
                row.rejected(
                    "\(other) is in stock, and a spreadsheet may have made \(row.record.sku.text) of it: correct the SKU, or "
                        + "give --trust-numbers if it is another record; `export --spreadsheet` prevents this")
            }
        }
        rows.removeAll { similar[$0.record.sku] != nil }
        return rejected
    }

    private mutating func known() async throws -> [SpreadsheetNumber: String] {
        if let skus { return skus }
        var skus: [SpreadsheetNumber: String] = [:]
        try await stock.eachID { id in
            guard let sku = SKU(recordID: id)?.text, let number = SpreadsheetNumber(sku) else { return }
            for form in number.savedForms where skus[form] == nil { skus[form] = sku }
        }
        self.skus = skus
        return skus
    }
}
