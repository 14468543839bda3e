/// Copies of one record. Lines that are alike are moved as one. A parked basket keeps them.
struct CopyLine: Equatable, Codable, Sendable {
    /// A SKU, or a barcode as tills scan it. `none` for what has no record.
    let code: SKU
    var count = 1
    /// The price of one copy that the customer was shown, in place of the record's.
    var price: Money?
    /// How many of them are in the hand, but not in the stock. They enter it with the sale.
    var found = 0
    /// What happens to these copies within a sale: a return or a trade-in. `nil` is what the command does.
    var kind: Movement.Kind?
    /// The id of the movement of the sale that the copies come back from.
    var sale: String?
    /// What is sold without a record, for the price of the line.
    var item: Movement.Item?

    private enum CodingKeys: String, CodingKey {
        case code = "sku"
        case count, price, found, kind, sale, item
    }
}
