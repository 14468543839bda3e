/// A sale at the till that is not made yet: what is sold, what comes back, and what the shop buys.
struct Basket: Sendable {
    /// What one line of the scanner put into the basket.
    struct Entry: Sendable {
        /// The record as it was scanned.
        let stored: StoredRecord
        /// The copies, with the price that was shown. All copies of a record that are sold have one price.
        var line: CopyMove.Line
        /// What came back of the sale before, if the copies come back.
        var returns: [Movement] = []

        var sku: SKU { line.code }
        var kind: Movement.Kind { line.kind ?? .sale }

        /// The copies by their name, such as `LP-1` or `3 x LP-1`.
        var name: String {
            let name = line.item?.name ?? sku.text
            return line.count == 1 ? name : "\(line.count) x \(name)"
        }

        init(stored: StoredRecord, line: CopyMove.Line) {
            (self.stored, self.line) = (stored, line)
        }

        /// Creates an entry of what has no record.
        init(item line: CopyMove.Line) {
            self.init(stored: StoredRecord(record: line.item ?? .blank, version: Version(0)), line: line)
        }

        /// Creates an entry of a line, with what was read of its record, and of what came back of its sale.
        init(_ line: CopyMove.Line, _ look: StockSnapshot) throws {
            if line.item == nil {
                self.init(stored: try look.record(for: line.code, isSale: false), line: line)
            } else {
                self.init(item: line)
            }
            returns = look.returns.filter { $0.undoes == line.sale?.id }
        }

        /// Whether `price` sets the price of both.
        func isPriced(with last: Entry) -> Bool {
            sku == last.sku && kind == last.kind && line.item == last.line.item
        }
    }

    /// What the customer gives, to show the change.
    struct Payment: Sendable {
        var kind: String?
        var given: Money?
    }

    /// A part of the payment.
    struct Part: Sendable {
        let kind: String
        let amount: Money

        var text: String { "\(kind) \(amount.text)" }
    }

    var entries: [Entry] = []
    var discount: Discount?
    /// The customer whose reserved copies may be sold.
    var customer: String?
    /// Whether drafts are sold too.
    let sellsDrafts: Bool
    /// The settings of the shop when the till was started.
    var shop = ShopSettings()
    var payment = Payment()
    /// What the customer has paid so far. Meanwhile the basket is not changed.
    var paid: [Part] = []
    /// The id of the sale, from the first `pay` on.
    var command: String?
    /// Whether `pay` sent the sale, and its outcome is unknown.
    var isSent = false

    var isEmpty: Bool { entries.isEmpty }

    /// What the customer has paid so far, as text.
    var paidText: String { paid.map(\.text).joined(separator: ", ") }

    /// The sale that `pay` makes.
    var sale: CopyMove {
        var move = CopyMove(kind: .sale, lines: entries.map(\.line))
        move.payment = payment.kind
        move.firstPayments = paid.map { CopyMove.PaymentPart(kind: $0.kind, amount: $0.amount.decimalText) }
        move.discount = discount
        move.customer = customer
        move.sellsUnreserved = true
        move.isForced = sellsDrafts
        return move
    }

    /// What was scanned, as if it was just read.
    private var look: StockSnapshot {
        var look = StockSnapshot(entries.map(\.stored), returns: Array(Set(entries.flatMap(\.returns))))
        look.shop = shop
        return look
    }

    /// Returns a part for each record, and for each sale that copies come back from.
    func parts() throws -> [CopyMove.Part] { try sale.parts(look) }

    /// Returns the movements of the sale, as `pay` makes them.
    func movements(from source: MovementSource) throws -> [Movement] {
        let sale = sale
        return try sale.movements(of: sale.parts(look), source, shop)
    }

    /// Returns the changes of the sale, as `pay` makes them if nothing changes meanwhile.
    func changes(from source: MovementSource) throws -> [RecordChange] { try sale.plan(look, source) }

    /// Returns the number of copies that are moved in one way, or in all ways.
    func count(_ kind: Movement.Kind? = nil) -> Int {
        entries.filter { (kind ?? $0.kind) == $0.kind }.map(\.line.count).reduce(0, +)
    }

    mutating func empty() {
        self = Basket(sellsDrafts: sellsDrafts, shop: shop)
    }
}
