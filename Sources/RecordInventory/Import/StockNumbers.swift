/// The SKUs in stock that a spreadsheet takes for numbers, dates, times or logical values.
///
/// A spreadsheet saves the SKU 00042 as 42, and MAR-01 as 01-Mar, which an import would add as another record.
struct StockNumbers {
    let stock: Stock
    /// The SKUs by the values that a spreadsheet may save for them. `nil` before they are needed.
    private(set) var skus: [SpreadsheetValue: String]?

    /// Removes the rows whose SKU is not in stock, but has the value of one that is. Returns their errors.
    mutating func rejectSimilar(_ rows: inout [ImportRow]) async throws -> [RowError] {
        var similar = try await marked(rows)
        let values = rows.map { SpreadsheetValue.saved($0.record.sku.text) }
        if values.contains(where: { !$0.isEmpty }) {
            let skus = try await known()
            for (row, values) in zip(rows, values) {
                let sku = row.record.sku
                if let other = values.lazy.compactMap({ skus[$0] }).first, other != sku.text { similar[sku] = other }
            }
        }
        if similar.isEmpty { return [] }
        for id in try await stock.stored(Array(similar.keys)).keys {
            if let sku = SKU(recordID: id) { similar[sku] = nil }
        }
        let rejected = rows.compactMap { row in
            similar[row.record.sku].map { other in
                row.rejected(
                    "\(other) is in stock, and a spreadsheet may have made \(row.record.sku.text) of it: correct the "
                        + "SKU, or give --trust-numbers if it is another record; `export --spreadsheet` prevents this")
            }
        }
        rows.removeAll { similar[$0.record.sku] != nil }
        return rejected
    }

    /// Returns the SKUs in stock that rows have with an apostrophe before them, a spreadsheet's mark for text.
    private func marked(_ rows: [ImportRow]) async throws -> [SKU: String] {
        var marked: [SKU: SKU] = [:]
        for sku in rows.map(\.record.sku) where sku.text.hasPrefix("'") {
            if let rest = try? SKU(sku.text.dropFirst()) { marked[sku] = rest }
        }
        if marked.isEmpty { return [:] }
        let stocked = try await stock.stored(Array(marked.values))
        return marked.filter { stocked[$0.value.recordID] != nil }.mapValues(\.text)
    }

    private mutating func known() async throws -> [SpreadsheetValue: String] {
        if let skus { return skus }
        var skus: [SpreadsheetValue: String] = [:]
        try await stock.eachID { id in
            guard let sku = SKU(recordID: id)?.text else { return }
            for value in SpreadsheetValue.typed(sku) where skus[value] == nil { skus[value] = sku }
        }
        self.skus = skus
        return skus
    }
}
