/// The close of a till: what it took since the close before. A stored one is never changed.
///
/// Nothing orders the commits of several tills, and their clocks may be wrong. So a close names the commands that it
/// counts, and the next one counts all commands of the till that no close names.
struct Closing: Sendable, Equatable {
    /// What was moved with one kind of payment in one currency, in minor units. What the customer got is negative.
    struct Sum: Codable, Sendable, Equatable {
        let currency: Currency
        /// `nil` if the kind of payment was not named.
        let payment: String?
        var sales: Int64 = 0
        var returns: Int64 = 0
        var tradeIns: Int64 = 0
        /// The vouchers that were sold.
        var vouchers: Int64 = 0
        /// What was added to payments in cash, or subtracted.
        var rounding: Int64 = 0
        var total: Int64 = 0

        private enum CodingKeys: String, CodingKey {
            case currency, payment, sales, returns, vouchers, rounding, total
            case tradeIns = "trade_ins"
        }

        fileprivate mutating func add(_ amount: Int64, _ kind: Movement.Kind) throws(Overflow) {
            switch kind {
            case .sale: try sales.add(amount)
            case .return: try returns.add(amount)
            case .voucher: try vouchers.add(amount)
            default: try tradeIns.add(amount)
            }
        }
    }

    /// The cash of one currency in the drawer, in minor units.
    struct Cash: Codable, Sendable, Equatable {
        let currency: Currency
        /// What was in the drawer when the till was opened.
        var float: Int64 = 0
        /// What was put into the drawer without a sale.
        var paidIn: Int64 = 0
        /// What was taken out of it, as a negative amount.
        var paidOut: Int64 = 0
        /// The float, and what was paid in cash, put in and taken out since.
        var expected: Int64 = 0
        /// What was counted, if it was.
        fileprivate(set) var counted: Int64?
        /// What was counted, less what was expected.
        fileprivate(set) var difference: Int64?

        private enum CodingKeys: String, CodingKey {
            case currency, float, expected, counted, difference
            case paidIn = "in"
            case paidOut = "out"
        }

        /// Adds what came in, or went out if it is negative.
        fileprivate mutating func add(_ amount: Int64, to part: WritableKeyPath<Cash, Int64>) throws(Overflow) {
            try self[keyPath: part].add(amount)
            try expected.add(amount)
        }
    }

    let till: String
    /// From 1 on, without gaps. For a look, the number that the close would get.
    var number: Int
    var time: MovementTime
    /// The day that the close belongs to, by the hour at which the shop's day ends.
    var day: String?
    var person: String?
    /// The ids of the commands that are counted.
    var commands: [String] = []
    /// The ids of the floats that are counted.
    var floats: [String] = []
    /// The ids of the moves of cash that are counted.
    var drawer: [String] = []
    var sums: [Sum] = []
    var cash: [Cash] = []
    /// Why the counted cash differs.
    var reason: String?
    /// Tells a close from another that was made at the same moment.
    var token: String

    /// The collection of the closes, beside `records`.
    static let collection = "closings"
    /// The maximum size of the ids of the commands in one close, in bytes: some 19,000 sales. Proxies often refuse more
    /// than a megabyte.
    static let sizeLimit = 500_000

    /// The id of a close. Two that close a till at once write the same, so that one of them is refused.
    var id: String { Self.id(number, of: till) }

    static func id(_ number: Int, of till: String) -> String { "\(till.kintoID)-\(number)" }

    var isEmpty: Bool { commands.isEmpty && floats.isEmpty && drawer.isEmpty }
    var isCounted: Bool { cash.contains { $0.counted != nil } }
    var differs: Bool { cash.contains { $0.difference ?? 0 != 0 } }

    /// Counts a command.
    mutating func add(_ movements: [Movement], of command: String) throws(Overflow) {
        commands.append(command)
        for movement in movements {
            guard let paid = movement.paid else { continue }
            for (payment, amount) in try movement.shares(of: paid.amount) {
                let index = index(of: paid.currency, payment)
                try sums[index].add(amount, movement.kind)
                try sums[index].total.add(amount)
                if payment == PaymentKinds.cash { try cash[drawer(of: paid.currency)].expected.add(amount) }
            }
            guard let rounding = movement.rounding else { continue }
            let index = index(of: paid.currency, PaymentKinds.cash)
            try sums[index].rounding.add(rounding)
            try sums[index].add(0 &- rounding, movement.kind)
        }
    }

    /// Counts a float.
    mutating func add(_ float: CashFloat) throws(Overflow) {
        floats.append(float.id)
        try cash[drawer(of: float.amount.currency)].add(float.amount.amount, to: \.float)
    }

    /// Counts cash that was put in or taken out.
    mutating func add(_ move: DrawerMove) throws(Overflow) {
        drawer.append(move.id)
        let amount = move.isIn ? move.amount.amount : -move.amount.amount
        try cash[drawer(of: move.amount.currency)].add(amount, to: move.isIn ? \.paidIn : \.paidOut)
    }

    /// Notes what was counted in the drawer.
    mutating func count(_ amount: Money) {
        let index = drawer(of: amount.currency)
        cash[index].counted = amount.amount
        cash[index].difference = amount.amount &- cash[index].expected
    }

    private mutating func index(of currency: Currency, _ payment: String?) -> Int {
        sums.place(of: Sum(currency: currency, payment: payment)) { $0.currency == currency && $0.payment == payment }
    }

    private mutating func drawer(of currency: Currency) -> Int {
        cash.place(of: Cash(currency: currency)) { $0.currency == currency }
    }
}

/// The cash in the drawer when a till is opened.
struct CashFloat: Sendable, Equatable {
    let till: String
    /// The number of the next close.
    let number: Int
    let amount: Money
    var time: MovementTime
    var person: String?

    /// The collection of the floats, beside `records`.
    static let collection = "cash"

    /// The id. A till has one float of each currency until it is closed.
    var id: String { "\(Closing.id(number, of: till))-\(amount.currency.code)" }
}

extension Closing: TillObject {
    func isSame(as other: Closing) -> Bool { token == other.token }
}

extension CashFloat: TillObject {
    func isSame(as other: CashFloat) -> Bool { self == other }
}
