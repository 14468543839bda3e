/// Fewer copies than are wanted, or more than a record can have.
struct StockShortage: Error, CustomStringConvertible {
    let record: Record
    /// How many were to be added; negative when taken.
    let wanted: Int

    var description: String {
        let (sku, quantity) = (record.sku.text, record.quantity)
        if wanted < 0 { return "there are not enough copies of \(sku): \(quantity) in stock, \(-wanted) wanted" }
        let limit = Record.quantities.upperBound
        return "\(sku) can have \(limit) copies at the most: \(quantity) in stock, \(wanted) more wanted"
    }
}
