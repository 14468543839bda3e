/// Copies that come in or go out: a sale, a return, a restock, a trade-in or a write-off.
struct CopyMove: Equatable, Sendable {
    let kind: Movement.Kind
    /// SKUs or barcodes, as tills scan them. One that comes twice is moved twice.
    var codes: [SKU]
    var count = 1
    /// The decimal price of one copy, in place of the record's.
    var price: String?
    var discount: Discount?
    var payment: String?
    var reason: String?
    /// The id of the command, which is made once.
    var id: String?
    /// The customer whose reserved copies are sold.
    var customer: String?
    /// The id of the sale that a return belongs to.
    var sale: String?
    /// Whether a sale takes drafts too, and a return copies that were not sold.
    var isForced = false
}

extension CopyMove {
    init(_ kind: Movement.Kind, _ arguments: ArgumentScanner) throws(UsageError) {
        self.kind = kind
        codes = try arguments.operands.map { text throws(UsageError) in try ArgumentScanner.sku(text) }
        count = try arguments.copies()
        if codes.count > 1, arguments.has("-n") {
            throw UsageError("-n belongs to a single SKU; type a SKU once for each copy")
        }
        price = arguments.value("--price")
        if let price {
            do {
                _ = try Money.units(in: price, decimals: FieldValue.priceDecimals, of: "the finest currency")
            } catch {
                throw UsageError("--price \"\(price.shown)\": \(error.reason)")
            }
        }
        if let text = arguments.value("--discount") {
            do {
                discount = try Discount(text)
            } catch {
                throw UsageError("--discount \"\(text.shown)\": \(error.reason)")
            }
        }
        payment = arguments.value("--payment")
        reason = arguments.value("--reason")
        customer = arguments.value("--for")
        id = try arguments.newID()
        sale = try arguments.value("--sale").map(ArgumentScanner.id)
        isForced = arguments.has("--force")
    }

    /// Returns the price of one copy that was given for a record.
    func price(of record: Record) throws -> Money? {
        guard let price else { return nil }
        do throws(InvalidValue) {
            return try Money(price, in: record.price.currency)
        } catch {
            throw UsageError("--price \"\(price.shown)\" of \(record.sku.text): \(error.reason)")
        }
    }
}
