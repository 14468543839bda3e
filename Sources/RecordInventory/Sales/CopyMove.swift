/// Copies that come in or go out: a sale, a return, a restock, a trade-in or a write-off.
struct CopyMove: Equatable, Sendable {
    /// Copies of one record. Lines that are alike are moved as one.
    struct Line: Equatable, Sendable {
        /// A SKU, or a barcode as tills scan it.
        let code: SKU
        var count = 1
        /// The price of one copy that the customer was shown, in place of the record's.
        var price: Money?
        /// How many of them are in the hand, but not in the stock. They enter it with the sale.
        var found = 0
        /// What happens to these copies within a sale: a return or a trade-in. `nil` is what the command does.
        var kind: Movement.Kind?
        /// The movement of the sale that the copies come back from.
        var sale: Movement?
        /// What is sold without a record, in its place. There is no code then.
        var item: Record?
    }

    /// A part of the payment of a sale, before the last one.
    struct PaymentPart: Equatable, Sendable {
        var kind: String
        /// The decimal amount.
        let amount: String
    }

    let kind: Movement.Kind
    var lines: [Line]
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
    var codes: [SKU] { lines.filter { $0.item == nil }.map(\.code) }
}

extension CopyMove.Line {
    /// Creates the line of a voucher, or of something without a record: with its name, and perhaps a genre.
    init(_ kind: Movement.Kind, _ price: Money, name: String, genre: String? = nil) {
        var record = Record.blank
        (record.title, record.genre, record.price) = (name, genre, price)
        self.init(code: .none, price: price, kind: kind, item: record)
    }

    /// Creates the line of a voucher.
    static func voucher(_ price: Money) -> CopyMove.Line { .init(.voucher, price, name: "voucher") }
}
