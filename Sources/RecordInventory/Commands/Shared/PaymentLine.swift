import RecordKitJSON

/// A line of `history --payments`: what a command moved with one kind of payment.
struct PaymentLine {
    let command: String
    let time: MovementTime
    /// A sale, a return or a trade-in. Together a sale and its returns are the takings.
    let kind: Movement.Kind
    let payment: String?
    let currency: Currency
    /// In minor units, with the rounding. What the customer got is negative.
    var amount: Int64 = 0
    /// The part of the amount that comes of rounded cash.
    var rounding: Int64 = 0
    let till: String
    let person: String?
    var close: Int?

    fileprivate func isPart(_ movement: Movement, _ payment: String?, _ currency: Currency) -> Bool {
        command == movement.command ?? movement.id && kind == movement.kind && self.payment == payment
            && self.currency == currency
    }
}

extension PaymentLine: Row {
    static let fields: [RowColumn<PaymentLine>] = [
        RowColumn("command") { $0.command }, RowColumn("time", isTime: true, staysWhole: true) { $0.time.text },
        RowColumn("kind") { $0.kind.rawValue }, RowColumn("payment") { $0.payment },
        RowColumn("amount", isNumeric: true, staysWhole: true) { $0.text($0.amount) },
        RowColumn("rounding", isNumeric: true) { $0.rounding == 0 ? nil : $0.text($0.rounding) },
        RowColumn("currency", staysWhole: true) { $0.currency.code }, RowColumn("till", leaves: 2) { $0.till },
        RowColumn("person", leaves: 1) { $0.person }, RowColumn("close", isNumeric: true) { $0.close.map { "\($0)" } },
    ]

    private func text(_ amount: Int64) -> String { Money(amount: amount, currency: currency).decimalText }

    var printedJSON: JSONValue {
        let line: JSONValue = .leavingOutNull([
            "command": .string(command), "kind": .string(kind.rawValue), "payment": JSONValue(payment),
            "amount": .integer(amount), "rounding": rounding == 0 ? .null : .integer(rounding),
            "currency": .string(currency.code), "till": .string(till), "person": JSONValue(person),
            "close": JSONValue(close),
        ])
        return line.adding([JSONObject.Member(name: "time", value: .string(time.text))]).printed
    }
}

/// Adds up the parts of the payments of commands, whose movements come in the order of their times.
struct PaymentLines {
    /// Of the commands that may have more movements. Those of one command are made within a moment.
    private var open: [PaymentLine] = []
    private static let longestCommand: Int64 = 60_000

    /// Adds a movement. Returns the lines that are complete.
    mutating func add(_ movement: Movement, close: Int?) throws(Overflow) -> [PaymentLine] {
        let count = open.prefix { movement.time.milliseconds - $0.time.milliseconds > Self.longestCommand }.count
        let done = Array(open.prefix(count))
        open.removeFirst(count)
        guard let paid = movement.paid else { return done }
        let shares = try movement.shares(of: paid.amount)
        let rounded = shares.firstIndex { $0.kind == PaymentKinds.cash } ?? 0
        for (place, share) in shares.enumerated() {
            let line = PaymentLine(
                command: movement.command ?? movement.id, time: movement.time, kind: movement.kind,
                payment: share.kind, currency: paid.currency, till: movement.till, person: movement.person, close: close
            )
            let index = open.place(of: line) { $0.isPart(movement, share.kind, paid.currency) }
            try open[index].amount.add(share.amount)
            if place == rounded { try open[index].rounding.add(movement.rounding ?? 0) }
        }
        return done
    }

    /// Returns the lines of the last commands.
    mutating func finish() -> [PaymentLine] {
        defer { open = [] }
        return open
    }
}
