/// Copies that come in or go out: a sale, a return, a restock, a trade-in or a write-off.
struct CopyMove: Equatable, Sendable {
    /// What copies have in common that are moved as one.
    struct Likeness: Hashable {
        let sku: SKU
        /// What takes the place of a record.
        let item: Record?
        let kind: Movement.Kind
        let sale: String?
        let price: Money?
    }

    /// A part of the payment of a sale, before the last one.
    struct PaymentPart: Equatable, Sendable {
        var kind: String
        /// The decimal amount.
        let amount: String
    }

    let kind: Movement.Kind
    var lines: [CopyLine]
    /// The decimal price of one copy, in place of the record's.
    var price: String?
    var discount: Discount?
    /// The kind of payment, or that of the last part, which is the rest.
    var payment: String?
    /// What is paid before, in other ways.
    var firstPayments: [PaymentPart] = []
    var reason: String?
    /// The id of the command, which is made once.
    var id: String?
    /// The customer whose reserved copies are sold.
    var customer: String?
    /// Whether copies are sold too that are not reserved for the customer.
    var sellsUnreserved = false
    /// The decimal cost of one copy that is put into the stock.
    var cost: String?
    /// The id of the sale that a return belongs to.
    var sale: String?
    /// Whether a sale without a kind of payment gives the money back as what comes back was paid.
    var givesBack = false
    /// Whether a sale takes drafts too, and a return copies that were not sold.
    var isForced = false

    /// The SKUs and barcodes of the lines that have a record.
    var codes: [SKU] { lines.map(\.code).filter { $0 != .none } }
}

extension CopyLine {
    /// Creates the line of a voucher, or of something without a record: with its name, and perhaps a genre.
    init(_ kind: Movement.Kind, _ price: Money, name: String, genre: String? = nil) {
        self.init(code: .none, price: price, kind: kind, item: Movement.Item(artist: "", title: name, genre: genre))
    }

    /// Creates the line of a voucher.
    static func voucher(_ price: Money) -> CopyLine { .init(.voucher, price, name: "voucher") }

    /// What takes the place of the record of a line without one.
    private var record: Record? {
        guard let item, let price else { return nil }
        var record = Record.blank
        (record.title, record.genre, record.price) = (item.title, item.genre, price)
        return record
    }

    /// Returns what takes the place of the record: of something without one, or as it was before it was deleted.
    ///
    /// - Parameter sale: The sale that the copies come back from.
    func recordOutOfStock(_ sale: Movement?, _ look: StockSnapshot) -> Record? {
        guard let sale else { return record }
        return sale.sku == .none || look.deletions.wasDeleted(after: sale) ? look.deletedRecord(soldBy: sale) : nil
    }
}
