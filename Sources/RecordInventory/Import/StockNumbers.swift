/// The SKUs in stock that a spreadsheet takes for numbers or dates.
///
/// A spreadsheet saves the SKU 00042 as 42, and MAR-01 as 01-Mar, which an import would add as another record.
struct StockNumbers {
    private enum Value: Hashable {
        case number(SpreadsheetNumber)
        case date(SpreadsheetDate)
    }

    let stock: Stock
    /// The SKUs by the values that a spreadsheet may save for them. `nil` before they are needed.
    private var skus: [Value: String]?

    init(stock: Stock) {
        self.stock = stock
    }

    /// Removes the rows whose SKU is not in stock, but has the value of one that is. Returns their errors.
    mutating func rejectSimilar(_ rows: inout [ImportRow]) async throws -> [RowError] {
        let values = rows.map { Self.savedValues($0.record.sku.text) }
        guard values.contains(where: { !$0.isEmpty }) else { return [] }
        let skus = try await known()
        var similar: [SKU: String] = [:]
        for (row, values) in zip(rows, values) {
            let sku = row.record.sku
            if let other = values.lazy.compactMap({ skus[$0] }).first, other != sku.text { similar[sku] = other }
        }
        if similar.isEmpty { return [] }
        for id in try await stock.stored(Array(similar.keys)).keys {
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

    /// The values that a SKU in a file may stand for.
    private static func savedValues(_ sku: String) -> [Value] {
        if let number = SpreadsheetNumber(sku) { return [.number(number)] }
        return SpreadsheetDate.saved(sku).map { .date($0) }
    }

    private mutating func known() async throws -> [Value: String] {
        if let skus { return skus }
        var skus: [Value: String] = [:]
        try await stock.eachID { id in
            guard let sku = SKU(recordID: id)?.text else { return }
            let numbers = SpreadsheetNumber(sku)?.savedForms ?? []
            for value in numbers.map({ .number($0) }) + SpreadsheetDate.typed(sku).map({ Value.date($0) })
            where skus[value] == nil { skus[value] = sku }
        }
        self.skus = skus
        return skus
    }
}
