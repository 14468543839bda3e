import RecordKitJSON

/// The work at the counter, from the first line to the last.
struct CounterSession {
    let context: CommandContext
    /// The kind of payment if `pay` names none.
    let payment: String?
    var basket: Basket
    /// The ids of the sales of this run.
    var sales: [String] = []
    /// The currency of what has no record, once it is known.
    var currency: Currency?
    /// The number of requests that the server takes at once, once it is known.
    var limit: Int?
    /// The receipt of the last sale, unless it was taken back.
    var receipt: Receipt?

    var console: Console { context.console }
    var stock: Stock { context.stock }

    mutating func run() async throws -> ExitCode {
        basket.shop = try await stock.readSettings()
        if let payment { _ = try await kind(payment) }
        console.note("This is the till \(stock.source.till).")
        if console.canAsk {
            console.note("Scan a barcode or type a SKU. pay sells, undo takes back a line, help lists more.")
        }
        if context.isDryRun { console.note("This is a dry run: nothing is written, and nothing is sold.") }
        do {
            return try await loop()
        } catch is CancellationError {
            console.complain("interrupted: \(outcome)")
            throw CancellationError()
        }
    }

    private mutating func loop() async throws -> ExitCode {
        var hasFailed = false
        let names = TillWord.allCases.map(\.rawValue)
        while let line = try console.nextScan(words: names, &hasFailed) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first else { continue }
            let word = TillWord(rawValue: first.lowercased())
            if word == .quit, words.count == 1 { break }
            // A SKU of this name is added by `1 x SKU`.
            let isPayment = word == nil && basket.shop.kinds.all.contains(first.lowercased())
            do {
                let isSold = try await findOutcome()
                let changesBasket =
                    word.map {
                        [.discount, .price, .return, .tradeIn, .for, .found, .item, .sellVoucher, .park].contains($0)
                    } ?? !isPayment
                if changesBasket, !basket.paid.isEmpty {
                    throw CommandFailure(
                        .usage,
                        "\(basket.paidText) is paid already, so the basket stays as it is: pay the rest, or take the "
                            + "payment back with undo")
                }
                if let word {
                    // A word was meant for the basket that was sold.
                    if !isSold { try await run(word, Array(words.dropFirst())) }
                } else if isPayment {
                    if !isSold { try await pay(words) }
                } else {
                    do { try await add(line) } catch let error as MissingRecord {
                        guard let meant = TillWord.meant(by: first) else { throw error }
                        throw CommandFailure(.notFound, "there is no record \(error.code.text); did you mean \(meant)?")
                    }
                }
            } catch {
                hasFailed = true
                console.complain(try context.failure(of: error).message)
            }
            try console.flush()
        }
        _ = try await findOutcome()
        guard basket.isEmpty else {
            let parked = basket.parked.map { "; it stays parked as \($0.name.printable)" } ?? ""
            throw CommandFailure(
                .failed, "the input ended without pay: \(basket.count) in the basket, not sold\(refund)\(parked)")
        }
        return hasFailed ? .partlyDone : .done
    }

    /// The end of a sentence about a basket that is not sold, if a part of it was paid.
    private var refund: String {
        basket.paid.isEmpty ? "" : "; give back to the customer: \(basket.paidText)"
    }

    /// What was sold and what was not.
    private var outcome: String {
        let sold =
            sales.last.map { "\(sales.count.counted("sale was", "sales were")) made, the last with the id \($0)" }
            ?? "nothing was sold"
        let copies = basket.count.counted("copy", "copies")
        if basket.isSent, let command = basket.command {
            return
                "\(sold); whether the \(copies) in the basket were sold is not known, `history --id \(command)` tells"
        }
        return basket.isEmpty
            ? sold : "\(sold); the \(copies) in the basket \(basket.count == 1 ? "was" : "were") not sold\(refund)"
    }

    mutating func run(_ word: TillWord, _ operands: [String]) async throws {
        let operand = operands.joined(separator: " ")
        switch word {
        case .help: console.note(TillWord.explanation)
        case .total:
            for entry in basket.entries {
                let kind = [.sale, .voucher].contains(entry.kind) ? "" : "\(entry.kind.title) "
                try show("\(kind)\(entry.line.count) x \(entry.stored.record.name), \(entry.price.text)")
            }
            try showTotal()
        case .cancel:
            let refund = refund
            try await discardParked()
            basket.empty()
            console.note("The basket is empty. Nothing was sold\(refund).")
        case .undo: try await takeOut()
        case .discount: try setDiscount(operand)
        case .price: try setPrice(operand)
        case .return: try await takeBack(operands)
        case .tradeIn: try await buy(operands)
        case .for: try setCustomer(operand)
        case .find: try await find(operand)
        case .found:
            guard !operand.isEmpty else { throw CommandFailure(.usage, "found takes a SKU: found LP-1") }
            try await add(operand, mayBeMissing: true)
        case .item: try await sellItem(operands)
        case .sellVoucher: try await sellVoucher(operands)
        case .park: try await park(operand.personName)
        case .drawer: _ = try await TillClosing(context: context).move(DrawerCommand.Entry(operands), id: nil)
        case .pay: try await pay(operands)
        case .cash, .card: try await pay([word.rawValue] + operands)
        case .last:
            guard let receipt else {
                throw CommandFailure(.notFound, "there is no receipt of this run; `history` lists earlier sales")
            }
            for line in receipt.lines { try show(line.escapedForTerminal) }
        case .quit: throw CommandFailure(.usage, "quit takes no operand")
        }
    }

    /// Takes back the last part of the payment, the last line, or with an empty basket the last sale.
    private mutating func takeOut() async throws {
        if let part = basket.paid.popLast() {
            console.note("Not paid: \(part.text); give it back to the customer.")
            return try showTotal()
        }
        guard let last = try basket.removeLast() else { return try await undoSale() }
        // The next sale is another customer's.
        if basket.isEmpty {
            try await discardParked()
            basket.empty()
        }
        console.note("Took \(last) out of the basket.")
        try showTotal()
    }

    private mutating func setDiscount(_ text: String) throws {
        let before = basket.discount
        do {
            basket.discount = text.isEmpty ? nil : try Discount(basket.shop.decimal(text))
            _ = try basket.total()
        } catch {
            basket.discount = before
            var reason = error as? InvalidValue
            if case SaleError.total(let error) = error { reason = error }
            throw reason.map { CommandFailure(.usage, "discount \"\(text.shown)\": \($0.reason)") } ?? error
        }
        try showTotal()
    }

    private mutating func setPrice(_ text: String) throws {
        if text.isEmpty { throw CommandFailure(.usage, "price takes an amount: price 8.00") }
        guard let last = basket.last else { throw CommandFailure(.usage, "scan a record first") }
        guard let before = last.line.price else {
            throw CommandFailure(.usage, "a return has the price of its sale")
        }
        try basket.setLastPrice(amount(text, in: before.currency, "price"))
        try showTotal()
    }

    private mutating func setCustomer(_ name: String) throws {
        guard name.isEmpty || basket.sums.counts[.sale] ?? 0 == 0 || basket.customer == nil else {
            throw CommandFailure(.usage, "the basket is for \(basket.customer?.printable ?? "") already")
        }
        basket.customer = name.isEmpty ? basket.isEmpty ? nil : basket.customer : name.personName
        console.note(
            basket.customer.map { "The copies reserved for \($0.printable) can be scanned." }
                ?? "No reserved copies can be scanned.")
    }

    /// Takes back the last sale of this run. An earlier one, or another till's, takes `undo ID`.
    private mutating func undoSale() async throws {
        guard let last = sales.last else {
            throw CommandFailure(
                .notFound,
                "this till has sold nothing since it was started; `history` lists earlier sales, "
                    + "and `undo ID` takes one back"
            )
        }
        _ = try await UndoCommand(id: last).undo(last, in: context, printsRecords: false)
        receipt = nil
    }

    /// Shows what happens before a sale. With `--json`, the results are the sales alone.
    func show(_ text: String) throws {
        if context.reporter.printsJSON { console.note(text) } else { try console.print(text) }
    }

    /// Shows a record before a sale, without the fields that it lacks.
    func show(_ fields: [String]) throws {
        try show(fields.filter { !$0.isEmpty }.map(\.escapedForTerminal).joined(separator: "  "))
    }

    func showTotal() throws {
        if basket.isEmpty { return console.note("The basket is empty.") }
        func count(_ kind: Movement.Kind) -> Int { basket.sums.counts[kind] ?? 0 }
        var counts = ["\(count(.sale))"]
        if count(.return) > 0 { counts.append("\(count(.return)) back") }
        if count(.voucher) > 0 { counts.append(count(.voucher).counted("voucher")) }
        if count(.tradeIn) > 0 { counts.append("\(count(.tradeIn)) bought") }
        let total = try basket.total()
        let due = total.dueToCustomer
        let rest = due == nil ? "" : ", to the customer"
        let left = try basket.due()
        let cash = try basket.due(in: PaymentKinds.cash)
        let rounded = cash == left ? "" : " (in cash \((cash.dueToCustomer ?? cash).text))"
        try show(
            "Total: \(counts.joined(separator: ", ")) for "
                + "\((due ?? total).text)\(rest)\(basket.paid.isEmpty ? rounded : "")"
        )
        if !basket.paid.isEmpty {
            let open = due == nil ? "to pay" : "to give back"
            try show(
                "\(due == nil ? "Paid" : "Given back"): \(basket.paidText); \(open): "
                    + "\((left.dueToCustomer ?? left).text)\(rounded)"
            )
        }
    }
}

// Payment.
extension CounterSession {
    /// Returns the kind of a name, if the shop takes it.
    private func kind(_ name: String) async throws -> String {
        if let kind = try? basket.shop.kinds.kind(name) { return kind }
        return try await stock.readSettings().kinds.checked(name)
    }

    /// Returns the kind of payment where none is typed: that of the till, the shop's usual one, or what a person names.
    private func usualPayment() async throws -> String? {
        if let payment { return try await kind(payment) }
        return try context.usualPayment(basket.shop, "`pay card`")
    }

    func amount(_ text: String, in currency: Currency, _ word: String) throws(UsageError) -> Money {
        try text.parsed(as: word) { text throws(InvalidValue) in
            try Money(typed: basket.shop.decimal(text), in: currency)
        }
    }

    /// Reads the operands of `pay`: a kind of payment, what is given, both or neither.
    private func payment(_ operands: [String]) async throws -> Basket.Payment {
        var operands = operands[...]
        var paid = Basket.Payment()
        // Kinds begin with a letter.
        if let kind = operands.first, kind.first?.isNumber != true {
            paid.kind = kind
            operands.removeFirst()
        }
        if let kind = paid.kind { paid.kind = try await self.kind(kind) }
        if paid.kind == nil, operands.isEmpty, try basket.givesBack() {
            paid.isAsPaid = true
            return paid
        }
        if paid.kind == nil { paid.kind = try await usualPayment() }
        guard let text = operands.popFirst() else { return paid }
        guard operands.isEmpty else {
            throw CommandFailure(.usage, "pay takes a kind and an amount, such as pay cash 50; nothing was sold")
        }
        let total = try basket.due()
        guard total.count == 1, let due = total.first else {
            throw CommandFailure(
                .usage,
                "the basket has several currencies, so there is no change; pay each by itself. Nothing was sold.")
        }
        paid.given = try amount(text, in: due.currency, "pay")
        return paid
    }

    /// Sells the basket and prints a receipt. Keeps the basket if it was not sold.
    private mutating func pay(_ operands: [String]) async throws {
        guard !basket.isEmpty else { throw CommandFailure(.usage, "the basket is empty; scan a record first") }
        let payment = try await payment(operands)
        guard try basket.take(payment) else { return try showTotal() }
        let command = basket.command ?? MovementSource.newCommand(on: context.today)
        basket.command = command
        var stock = stock
        stock.source.command = command
        // Known before the sale is sent: after a loss of power, `history --id` indicates whether it was made.
        if !context.isDryRun { console.note("This is the sale \(command).") }
        do {
            let (sale, basket) = (basket.sale, basket)
            let made = try await stock.change(removing: basket.parked) {
                let sales = basket.sales.isEmpty ? nil : basket.sales.map(\.id)
                return basket.completed(try await stock.look(skus: Array(Set(sale.codes)), undoing: sales))
            } plan: { look in
                try sale.plan(look, stock.source)
            }
            // Copies that were released or found are no part of the receipt.
            try finish(
                made.changes.flatMap { change in
                    change.movements.filter { $0.price != nil }.map { (change.record, $0) }
                })
        } catch let error as InventoryError {
            switch error {
            case .unanswered, .partlyMade, .alreadyMade:
                basket.isSent = true
                let failure = try CommandFailure(error)
                throw CommandFailure(
                    failure.exitCode, "\(failure.message) This till finds out before it sells anything more.")
            case .noLock(isChanged: true), .noLedger(isChanged: true): basket.empty()
            default: break
            }
            throw error
        }
    }

    /// Finds out whether a sale was made whose outcome is unknown. Returns whether it was: then the basket is empty.
    private mutating func findOutcome() async throws -> Bool {
        guard basket.isSent, let command = basket.command else { return false }
        let made: [Movement]
        do {
            // The copies that a sale releases are no part of its receipt.
            made = try await stock.movements(MovementFilter(command: command)).filter { $0.price != nil }
        } catch {
            let failure = try context.failure(of: error)
            throw CommandFailure(
                failure.exitCode,
                "it is not known yet whether the sale \(command) was made, and nothing is scanned until it is "
                    + "(`history --id \(command)` tells): \(failure.message)")
        }
        basket.isSent = false
        // Another till may have sold the basket that it took up.
        if !made.isEmpty { try await discardParked() }
        if made.isEmpty {
            console.note("The sale \(command) was not made. The basket is as it was.")
            return false
        }
        console.note("The sale \(command) was made.")
        let records = basket.entries.map(\.stored.record)
        try finish(
            made.compactMap { movement in
                let item = movement.sku == .none ? Record(soldBy: movement) : nil
                return (item ?? records.first { $0.sku == movement.sku }).map { ($0, movement) }
            })
        return true
    }

    /// Empties the basket, and prints the receipt.
    private mutating func finish(_ sold: [(record: Record, movement: Movement)]) throws {
        let command = basket.command ?? ""
        let payment = basket.payment
        basket.empty()
        if !context.isDryRun { sales.append(command) }
        let receipt = try Receipt(sold, given: payment.given, due: payment.due)
        if !context.isDryRun { self.receipt = receipt }
        try context.reporter.printResultsOfChange(
            context.isDryRun ? "Nothing was written." : "The sale \(command) was made."
        ) {
            if context.reporter.printsJSON {
                return try console.print(
                    json: (["id": .string(command), "movements": .array(sold.map(\.movement.printedJSON))]
                        as JSONValue).text()
                )
            }
            if context.isDryRun { try console.print("Nothing was written. The receipt would be:") }
            for line in receipt.lines { try console.print(line.escapedForTerminal) }
        }
        if context.reporter.printsJSON, let change = receipt.change { console.note("Change: \(change.text)") }
    }
}
