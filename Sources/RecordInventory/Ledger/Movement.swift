/// What was paid with one kind of payment, or with one that was not named. What the customer got is negative.
typealias PaymentShare = (kind: String?, amount: Int64)

/// An entry of the ledger: one change of the copies of one record.
///
/// The quantity of a record is the sum of the movements that change the stock. A movement is never changed, except that
/// `forget` replaces a customer's name. `undo` takes it back with another one.
///
/// A movement without a SKU belongs to no record, and changes no stock: a voucher, or what is sold without a record.
struct Movement: StoredValue, Hashable {
    enum Kind: String, CaseIterable, Codable, Sendable {
        /// The copies that a record had when it was added, or when the ledger began.
        case opening
        case sale
        case `return`
        case restock
        case tradeIn = "trade_in"
        /// The difference that counting a shelf found.
        case count
        case writeOff = "write_off"
        /// A quantity that was set by `edit`, `import` or `doctor`.
        case correction
        /// The last entry of a record, which takes out its copies.
        case deletion
        /// Changes what is available, not the stock. So does `release`.
        case reservation, release
        /// Other fields were changed. The quantity is 0.
        case edit
        /// A voucher was sold, or taken back: money for goods that are sold later.
        case voucher
        /// A request was lost, and its change was not made. Changes nothing.
        case void

        var changesStock: Bool {
            switch self {
            case .reservation, .release, .edit, .voucher, .void: false
            default: true
            }
        }

        /// The name in tables: `trade-in`.
        var title: String { rawValue.replacing("_", with: "-") }
    }

    /// What a record was when it was sold.
    struct Item: Hashable, Codable, Sendable {
        var artist: String
        var title: String
        var genre: String?
        var format: String?
        var consignor: String?
    }

    /// A part of a payment.
    struct Payment: Hashable, Codable, Sendable {
        let kind: String
        /// In the minor units of the currency of the price. Negative if the sale is taken back.
        var amount: Int64
    }

    /// The idempotency key, which the till makes before it sends the movement.
    var id: String
    var sku: SKU
    var kind: Kind
    /// The copies that come in, or go out if it is negative.
    var quantity: Int
    /// The price of one copy, before the discount. For a trade-in, what was paid for one.
    var price: Money?
    /// The discount on all copies, in the minor units of the currency of `price`.
    var discount: Int64?
    /// The kind of payment: `cash`, `card`. If it is paid in parts, the kind of the first part.
    var payment: String?
    /// The parts of the payment, which add up to what is paid with its rounding. `nil` if it was paid in one way.
    var payments: [Payment]?
    /// What the customer paid in addition, or less if it is negative, since cash is rounded. Of a whole sale, one
    /// movement has it.
    var rounding: Int64?
    /// What one copy had cost, in the minor units of the currency of `price`.
    var cost: Int64?
    var time: MovementTime
    var till: String
    var person: String?
    var reason: String?
    /// The id of the movement that this one takes back.
    var undoes: String?
    /// What was sold. A sale, its return and its undo keep it, whatever becomes of the record. `nil` if another program
    /// did not note it.
    var item: Item?
    /// The version of the record before, which orders its movements, whatever the clocks of the tills say. `nil` if
    /// there is none, or another program did not note it.
    var after: Int64?
    /// The copies that a reservation puts aside, or that a release makes available again.
    var reservation: Reservation?
    /// The id of the command, which the movements of one sale share.
    var command: String?
    /// `true` if an import made it: its id belongs to no other command, though that may make the same kinds.
    var isImport: Bool?
    /// The old and new values of fields, perhaps none. `nil` if they are unknown: the movement is then not taken back.
    /// An added record has none.
    var changes: [Change]?

    // `forget`, and the indexes and sums of the embedded store, use these names, too.
    private enum CodingKeys: String, CodingKey {
        case id, sku, kind, quantity, price, discount, payment, payments, rounding, cost, time, till, person, reason
        case undoes, item, after, reservation, command, changes
        case isImport = "import"
    }

    /// The kinds that may have no SKU.
    static let kindsWithoutRecord: Set<Kind> = [.sale, .return, .voucher, .void]

    var changesStock: Bool { kind.changesStock && sku != .none }

    /// Returns whether this sold something without a record, by its name.
    func isItem(_ name: String) -> Bool { sku == .none && item?.title.lowercased() == name.lowercased() }

    /// More than a record has, since `doctor` may correct the sum of several. The sum of a ledger doesn't overflow.
    static let quantities = -1_000_000_000...1_000_000_000

    /// Returns the id of a command's movement. The first is number 1.
    static func id(_ number: Int, of command: String) -> String { "\(command)-\(number)" }

    /// Whether a command made it that changes many records.
    var isOneOfMany: Bool { isImport == true || id == Self.id(of: sku.recordID, by: command ?? "") }

    /// Returns the id of a movement of a command that changes many records. The command changes each once.
    static func id(of recordID: String, by command: String) -> String { "\(command)-of-\(recordID)" }

    /// The id of the movement that takes this one back. An opening has the id of its record, which may be used again.
    var undoID: String { undoID(after: 0) }

    /// Returns the id of the movement that takes this one back, after others that took back a part of it, or were taken
    /// back themselves.
    func undoID(after earlier: Int) -> String {
        let name = kind == .opening ? Self.id(of: sku.recordID, by: command ?? id) : id
        return "undo\(earlier == 0 ? "" : "\(earlier + 1)")-\(name)"
    }

    /// The range of the ids of movements that take back others.
    static let undoIDs = "undo-"..<"undo."

    /// Returns the id that the first movement of a record gets when a version of the record is deleted.
    static func id(of opening: Movement, renamedAt version: Version) -> String {
        "\(opening.id)-\(version.milliseconds)"
    }

    /// Orders the movements of a SKU by the versions of its records, which are milliseconds of the server. An opening
    /// is as late as the deletion that ends its record, whose version its id tells, and the last if the record is in
    /// stock.
    var order: Int64 {
        if id == Self.openingID(of: sku.recordID) { return .max }
        return (kind == .opening ? Int64(id.split(separator: "-").last ?? "") : after) ?? time.milliseconds
    }

    /// Returns the id of the first movement of a record. It depends on the record alone, so that it is made once.
    static func openingID(of recordID: String) -> String { "opening-" + recordID }

    /// What the customer paid, or got back if it is negative. `nil` without a price.
    var paid: Money? {
        guard let price else { return nil }
        let copies = Int64(-quantity)
        let discount = discount ?? 0
        guard let amount = try? price.amount.multiplied(by: copies),
            let paid = try? copies < 0 ? amount.adding(discount) : amount.subtracting(discount)
        else { return nil }
        return Money(amount: paid, currency: price.currency)
    }

    /// Whether the amounts can be added up, thousands of them too. Another program may have stored larger ones.
    var hasSummableAmounts: Bool {
        if price == nil { return true }
        guard let paid, let cost = try? (cost ?? 0).multiplied(by: Int64(quantity)) else { return false }
        let amounts = [paid.amount, discount ?? 0, rounding ?? 0, cost] + (payments ?? []).map(\.amount)
        return amounts.allSatisfy { $0.magnitude <= Money.largestSummed }
    }

    /// Divides what was paid, with its rounding, among the kinds of payment. The first kind has what the others leave,
    /// whatever another program wrote.
    func shares(of paid: Int64) throws(Overflow) -> [PaymentShare] {
        let others = payments?.dropFirst() ?? []
        var first = try paid.adding(rounding ?? 0)
        for other in others { first = try first.subtracting(other.amount) }
        return [(payment, first)] + others.map { ($0.kind, $0.amount) }
    }

    /// The kind of payment, or the parts with their amounts: `cash 20.00 + card 5.00`.
    var paymentText: String? {
        guard let payments, let currency = price?.currency else { return payment }
        return payments.map { "\($0.kind) \(Money(amount: $0.amount, currency: currency).decimalText)" }
            .joined(separator: " + ")
    }
}

extension Movement.Item {
    init(_ record: Record) {
        self.init(
            artist: record.artist, title: record.title, genre: record.genre, format: record.format,
            consignor: record.consignor)
    }
}

extension Record {
    /// Creates what takes the place of a record for a movement without one. It has no SKU.
    init(soldBy movement: Movement) {
        self = .blank
        title = movement.item?.title ?? movement.kind.title
        artist = movement.item?.artist ?? ""
        genre = movement.item?.genre
        if let price = movement.price { self.price = price }
    }

    /// Puts the copies of a movement aside, or makes them available again.
    mutating func reserve(by movement: Movement) {
        guard let reservation = movement.reservation else { return }
        if let index = reservations.firstIndex(where: { $0.id == reservation.id }) {
            reservations[index].quantity &+= movement.quantity
        } else if movement.quantity > 0 {
            reservations.append(reservation)
        }
        reservations.removeAll { $0.quantity <= 0 }
    }
}

extension Unreadable {
    /// The movement of another program that can't be added up with others.
    static func tooLarge(_ movement: Movement) -> Unreadable {
        Unreadable(movement: movement.id, of: movement.sku, reason: "an amount is too large to be added up")
    }
}
