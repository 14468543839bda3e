// A move as it is typed.
extension CopyMove {
    init(_ kind: Movement.Kind, _ arguments: ArgumentScanner) throws(UsageError) {
        self.kind = kind
        let count = try arguments.copies()
        lines = try arguments.operands.map { text throws(UsageError) in
            CopyLine(code: try ArgumentScanner.sku(text), count: count)
        }
        if lines.count > 1, arguments.has("-n") {
            throw UsageError("-n belongs to a single SKU; type a SKU once for each copy")
        }
        price = arguments.value("--price")
        try price?.parsed(as: "--price", Money.checkAmount)
        discount = try arguments.value("--discount")?.parsed(as: "--discount", Discount.init)
        let payments = arguments.values("--payment").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        guard payments.dropLast().allSatisfy({ $0.count == 2 }), payments.last?.count ?? 1 < 2 else {
            throw UsageError(
                "--payment takes a kind; parts have an amount each, except the last: --payment cash:20 --payment card")
        }
        firstPayments = payments.dropLast().map { PaymentPart(kind: $0[0], amount: $0[1]) }
        payment = payments.last.map { $0.first ?? "" }
        reason = arguments.value("--reason")
        customer = arguments.value("--for")?.personName
        id = try arguments.newID()
        sale = try arguments.value("--sale").map(ArgumentScanner.id)
        isForced = arguments.has("--force")
        cost = arguments.value("--cost")
        try cost?.parsed(as: "--cost", Money.checkAmount)
    }

    /// The command, which is made once under its id.
    var identity: CommandIdentity {
        CommandIdentity(
            id: id, kinds: [kind], codes: lines.map(\.code), copies: lines.map(\.count).reduce(0, +), reason: reason)
    }
}
