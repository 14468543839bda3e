/// A sale at the till that is not made yet: what is sold, what comes back, and what the shop buys.
struct Basket: Sendable {
    /// A line of the basket: copies that are alike, with the price that was shown.
    struct Entry: Sendable {
        /// The record as it was scanned.
        let stored: StoredRecord
        var line: CopyLine
        /// The movement of the sale that the copies come back from.
        let sale: Movement?
        /// What the line adds to the total before the discount, in minor units.
        fileprivate(set) var amount: Int64 = 0

        var sku: SKU { line.code }
        var kind: Movement.Kind { line.kind ?? .sale }
        var price: Money { sale?.price ?? line.price ?? stored.record.price }

        /// The copies by their name, such as `LP-1` or `3 x LP-1`.
        var name: String { name(line.count) }

        init(stored: StoredRecord, line: CopyLine) {
            (self.stored, self.line, sale) = (stored, line, nil)
        }

        /// Creates an entry of a line, with what was read of its record and its sale.
        init(_ line: CopyLine, _ look: StockSnapshot = StockSnapshot()) throws {
            self.line = line
            sale = look.sales.first { $0.id == line.sale }
            stored =
                try line.recordOutOfStock(sale, look).map { StoredRecord(record: $0, version: Version(0)) }
                ?? look.record(for: line.code, isSale: false)
        }

        fileprivate func name(_ count: Int) -> String {
            let name = sku == .none ? stored.record.name : sku.text
            return count == 1 ? name : "\(count) x \(name)"
        }

        fileprivate var likeness: CopyMove.Likeness {
            CopyMove.Likeness(
                sku: sku, item: sku == .none ? stored.record : nil, kind: kind, sale: line.sale, price: line.price)
        }
    }

    /// What the customer gives, to show the change.
    struct Payment: Sendable {
        var kind: String?
        var given: Money?
        /// What is to pay with it.
        var due: Money?
        /// Whether the money goes back as it was paid.
        var isAsPaid = false
    }

    /// A part of the payment.
    struct Part: Sendable {
        let kind: String
        let amount: Money

        var text: String { "\(kind) \(amount.text)" }
    }

    /// The copies that one scan added to a line.
    private struct Scan {
        let entry: Int
        let count: Int
        let found: Int
    }

    private(set) var entries: [Entry] = []
    private var scans: [Scan] = []
    /// The lines that a scan of the same kind is added to.
    private var places: [CopyMove.Likeness: Int] = [:]
    /// What the lines add up to.
    private(set) var sums = BasketSums()
    /// The lines of the sales that copies come back from, and what came back of them before.
    private(set) var sales: [Movement] = []
    private(set) var returns: [Movement] = []
    var discount: Discount?
    /// The customer whose reserved copies may be sold.
    var customer: String? { didSet { fitting = 0 } }
    /// The number of lines up to which the sale is known to fit into one batch.
    var fitting = 0
    /// Whether drafts are sold too.
    let sellsDrafts: Bool
    /// The settings of the shop when the till was started.
    var shop = ShopSettings()
    var payment = Payment()
    /// What the customer has paid so far. Meanwhile the basket is not changed.
    var paid: [Part] = []
    /// The id of the sale, from the first `pay` on.
    var command: String?
    /// The parked basket that was taken up. It is removed with the sale.
    var parked: ParkedBasket?
    /// Whether `pay` sent the sale, and its outcome is unknown.
    var isSent = false

    init(sellsDrafts: Bool, shop: ShopSettings = ShopSettings()) {
        (self.sellsDrafts, self.shop) = (sellsDrafts, shop)
    }

    var isEmpty: Bool { entries.isEmpty }

    /// What the customer has paid so far, as text.
    var paidText: String { paid.map(\.text).joined(separator: ", ") }

    /// The number of all copies.
    var count: Int { sums.counts.values.reduce(0, +) }

    /// The sale that `pay` makes.
    var sale: CopyMove {
        var move = CopyMove(kind: .sale, lines: entries.map(\.line))
        move.payment = payment.kind
        move.givesBack = payment.isAsPaid
        move.firstPayments = paid.map { CopyMove.PaymentPart(kind: $0.kind, amount: $0.amount.decimalText) }
        move.discount = discount
        move.customer = customer
        move.sellsUnreserved = true
        move.isForced = sellsDrafts
        return move
    }

    /// Returns the changes of the sale, as `pay` makes them if nothing changes meanwhile.
    func changes(from source: MovementSource) throws -> [RecordChange] {
        try sale.plan(completed(StockSnapshot(entries.map(\.stored), returns: returns)), source)
    }

    /// Returns what was just read, with what the basket knows.
    func completed(_ look: StockSnapshot) -> StockSnapshot {
        var look = look
        (look.shop, look.sales) = (shop, sales)
        return look
    }
}

// Changing.
extension Basket {
    /// Notes the sale that copies come back from, and what came back of it before.
    mutating func know(_ sale: [Movement], _ back: [Movement]) {
        let known = Set(sale.map(\.id))
        sales.removeAll { known.contains($0.id) }
        returns.removeAll { known.contains($0.undoes ?? "") }
        sales += sale
        returns += back
    }

    /// Adds copies: to the line of those that are alike, or as a new one.
    mutating func add(_ entry: Entry) throws {
        let (line, known) = (entry.line, places[entry.likeness])
        if let known {
            try changeEntry(known) { next in
                next.line.count += line.count
                next.line.found += line.found
            }
        } else {
            var next = entry
            next.amount = try amount(of: next)
            places[entry.likeness] = entries.endIndex
            entries.append(next)
            try sums.add(next)
        }
        scans.append(Scan(entry: known ?? entries.endIndex - 1, count: line.count, found: line.found))
    }

    /// Changes a line, and what the lines add up to.
    private mutating func changeEntry(_ place: Int, _ change: (inout Entry) -> Void) throws {
        var next = entries[place]
        change(&next)
        next.amount = try amount(of: next)
        sums.subtract(entries[place])
        entries[place] = next
        try sums.add(next)
    }

    /// Takes out what was scanned last. Returns its name, or `nil` if the basket is empty.
    mutating func removeLast() throws -> String? {
        guard let scan = scans.popLast() else { return nil }
        fitting = 0
        let old = entries[scan.entry]
        // A line that becomes empty was scanned after all others.
        if old.line.count == scan.count {
            sums.subtract(entries.removeLast())
            if places[old.likeness] == scan.entry { places[old.likeness] = nil }
        } else {
            try changeEntry(scan.entry) { next in
                next.line.count -= scan.count
                next.line.found -= min(scan.found, old.line.found)
            }
        }
        return old.name(scan.count)
    }

    /// The line that was scanned last.
    var last: Entry? { scans.last.map { entries[$0.entry] } }

    /// Sets the price of the line that was scanned last.
    mutating func setLastPrice(_ price: Money) throws {
        guard let place = scans.last?.entry else { return }
        let old = entries[place].likeness
        try changeEntry(place) { $0.line.price = price }
        if places[old] == place { places[old] = nil }
        let new = entries[place].likeness
        places[new] = places[new] ?? place
    }

    /// Notes that copies of the basket, which the stock lacks, are in the hand. Returns how many.
    ///
    /// - Parameter count: At most so many.
    mutating func find(_ count: Int, of sku: SKU) throws -> Int {
        var open = count
        for index in entries.indices where entries[index].sku == sku && entries[index].kind == .sale {
            let found = min(open, entries[index].line.count - entries[index].line.found)
            guard found > 0 else { continue }
            try changeEntry(index) { $0.line.found += found }
            open -= found
        }
        return count - open
    }

    mutating func empty() { self = Basket(sellsDrafts: sellsDrafts, shop: shop) }

    /// Returns what the copies of a line cost together. What comes in is negative.
    private func amount(of entry: Entry) throws(InvalidValue) -> Int64 {
        let (line, isOut) = (entry.line, [.sale, .voucher].contains(entry.kind))
        var movement = Movement(
            id: "", sku: entry.sku, kind: entry.kind, quantity: isOut ? -line.count : line.count,
            time: MovementTime(milliseconds: 0, offset: 0), till: "")
        movement.price = entry.price
        if let sale = entry.sale {
            movement.take(sale.returning(line.count, after: returns.filter { $0.undoes == sale.id }))
        }
        guard movement.hasSummableAmounts, let paid = movement.paid else { throw .tooLarge }
        return paid.amount
    }
}

/// What the lines of a basket add up to, kept up to date line by line.
struct BasketSums: Sendable {
    /// The amounts of one currency: what is sold, before the discount, and all else.
    struct Amounts: Sendable {
        let currency: Currency
        var lines = 0
        var sold: Int64 = 0
        var other: Int64 = 0
    }

    /// The copies that are moved in each way.
    private(set) var counts: [Movement.Kind: Int] = [:]
    private(set) var amounts: [Amounts] = []
    /// The copies of each record that are sold, and those of them that the stock lacks.
    private(set) var sold: [SKU: (count: Int, found: Int)] = [:]

    fileprivate mutating func add(_ entry: Basket.Entry) throws(InvalidValue) {
        guard change(by: entry, 1) else { throw .tooLarge }
    }

    fileprivate mutating func subtract(_ entry: Basket.Entry) { _ = change(by: entry, -1) }

    private mutating func change(by entry: Basket.Entry, _ sign: Int) -> Bool {
        let (line, currency) = (entry.line, entry.price.currency)
        counts[entry.kind, default: 0] += sign * line.count
        if entry.kind == .sale, entry.sku != .none {
            let old = sold[entry.sku] ?? (0, 0)
            sold[entry.sku] = (old.count + sign * line.count, old.found + sign * line.found)
        }
        let index = amounts.place(of: Amounts(currency: currency)) { $0.currency == currency }
        let part: WritableKeyPath<Amounts, Int64> = entry.kind == .sale ? \.sold : \.other
        amounts[index][keyPath: part] &+= Int64(sign) * entry.amount
        amounts[index].lines += sign
        let isSmall = amounts[index][keyPath: part].magnitude <= Money.largestSummed
        if amounts[index].lines == 0 { amounts.remove(at: index) }
        return isSmall
    }
}
