/// Sells from the scanner: reads codes and words line by line.
struct TillCommand: Command {
    var payment: String?
    /// Whether drafts are sold too.
    var sellsDrafts = false

    static let usage = CommandUsage(
        name: "till", summary: "sell from a scanner, line by line",
        explanation: """
            Reads barcodes and SKUs line by line, from a scanner, a keyboard or a pipe. Shows each record, its price, what
            is left and the total; `pay` sells the basket as one sale and prints a receipt. `pay cash 50` also shows the
            change. Type help for all words. If the input ends without pay, nothing of the basket is sold, and the exit
            code is 1.

            The history names the till of each sale. Two tills on one machine need two names: give each its own with
            --till, or RECORD_INVENTORY_TILL.
            """,
        options: [.payment, .force, .dryRun], examples: ["till", "till --payment cash", "till --till counter-2"])

    func run(in context: CommandContext) async throws -> ExitCode {
        var counter = Counter(context: context, payment: payment, basket: Basket(sellsDrafts: sellsDrafts))
        return try await counter.run()
    }
}

extension TillCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        payment = arguments.value("--payment")
        sellsDrafts = arguments.has("--force")
    }
}

/// A sale that is not made yet.
private struct Basket {
    /// A copy in the order of the scanner, with the price that was shown. All copies of a record have one price.
    struct Scan {
        let stored: StoredRecord
        var price: Money

        var sku: SKU { stored.record.sku }
    }

    /// What the customer gives, to show the change.
    struct Payment {
        var kind: String?
        var given: Money?
    }

    var scans: [Scan] = []
    var discount: Discount?
    /// Whether drafts are sold too.
    let sellsDrafts: Bool
    var payment = Payment()
    /// The id of the sale, from the first `pay` on.
    var command: String?
    /// Whether `pay` sent the sale, and its outcome is unknown.
    var isSent = false

    var isEmpty: Bool { scans.isEmpty }

    /// A line for each record.
    var lines: [CopyMover.Line] {
        var lines: [CopyMover.Line] = []
        for scan in scans {
            if let index = lines.firstIndex(where: { $0.sku == scan.sku }) {
                lines[index].count += 1
            } else {
                lines.append(CopyMover.Line(stored: scan.stored, count: 1, price: scan.price))
            }
        }
        return lines
    }

    var sale: CopyMove {
        var move = CopyMove(kind: .sale, codes: [])
        move.payment = payment.kind
        move.discount = discount
        move.isForced = sellsDrafts
        return move
    }

    mutating func empty() { self = Basket(sellsDrafts: sellsDrafts) }
}

/// The words that are no codes. A record whose SKU is such a word is sold with `sell`.
private enum Word: String, CaseIterable {
    case undo, total, pay, discount, price, cancel, help, quit

    static let explanation = """
        A barcode or a SKU adds a copy. Words:
          pay [KIND] [N]   sells the basket: pay cash, pay card; pay cash 50 shows the change
          undo             takes the last copy out of the basket; with an empty basket, takes back the last sale of this
                           run
          price AMOUNT     sets the price of the last record
          discount AMOUNT  takes an amount or a percentage off; without AMOUNT, none
          total            shows the basket
          cancel           empties the basket
          quit             ends
        """
}

/// The counter, from its first line to its last.
private struct Counter {
    let context: CommandContext
    /// The kind of payment if `pay` names none.
    let payment: String?
    var basket: Basket
    /// The ids of the sales of this run.
    var sales: [String] = []

    private var console: Console { context.console }
    private var stock: Stock { context.stock }

    mutating func run() async throws -> ExitCode {
        if let payment { _ = try await kinds(for: payment).checked(payment) }
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
        while let line = try console.nextLine() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first else { continue }
            let word = Word(rawValue: first.lowercased())
            if word == .quit, words.count == 1 { break }
            do {
                let isSold = try await settle()
                if let word {
                    // A word was meant for the basket that was sold.
                    if !isSold { try await run(word, Array(words.dropFirst())) }
                } else {
                    try await add(line.trimmed)
                }
            } catch {
                hasFailed = true
                console.complain(try context.failure(ofLine: error).message)
            }
            try console.flush()
        }
        _ = try await settle()
        guard basket.isEmpty else {
            throw CommandFailure(
                .failed, "the input ended without pay: \(basket.scans.count) in the basket, not sold")
        }
        return hasFailed ? .partlyDone : .done
    }

    /// What was sold and what was not.
    private var outcome: String {
        let sold =
            sales.last.map { "\(sales.count.counted("sale was", "sales were")) made, the last with the id \($0)" }
            ?? "nothing was sold"
        let copies = basket.scans.count.counted("copy", "copies")
        if basket.isSent, let command = basket.command {
            return
                "\(sold); whether the \(copies) in the basket were sold is not known, `history --id \(command)` tells"
        }
        return basket.isEmpty
            ? sold : "\(sold); the \(copies) in the basket \(basket.scans.count == 1 ? "was" : "were") not sold"
    }

    private mutating func run(_ word: Word, _ operands: [String]) async throws {
        let operand = operands.joined(separator: " ")
        switch word {
        case .help: console.note(Word.explanation)
        case .total:
            for line in basket.lines {
                let price = line.price ?? line.stored.record.price
                try show("\(line.count) x \(line.stored.record.name), \([price].text)")
            }
            try showTotal()
        case .cancel:
            basket.empty()
            console.note("The basket is empty. Nothing was sold.")
        case .undo:
            guard let last = basket.scans.popLast() else { return try await undoSale() }
            // The next sale is another customer's.
            if basket.isEmpty { basket.discount = nil }
            console.note("Took \(last.sku.text) out of the basket.")
            try showTotal()
        case .discount:
            let before = basket.discount
            do {
                basket.discount = operand.isEmpty ? nil : try Discount(operand)
                _ = try movements()
            } catch let error as InvalidValue {
                basket.discount = before
                throw CommandFailure(.usage, "discount \"\(operand.shown)\": \(error.reason)")
            }
            try showTotal()
        case .price:
            guard let last = basket.scans.last else { throw CommandFailure(.usage, "scan a record first") }
            let price = try Self.amount(operand, in: last.price.currency, "price")
            for index in basket.scans.indices where basket.scans[index].sku == last.sku {
                basket.scans[index].price = price
            }
            try showTotal()
        case .pay: try await pay(operands)
        case .quit: throw CommandFailure(.usage, "quit takes no operand")
        }
    }

    /// Takes back the last sale of this run. An earlier one, or another till's, takes `undo ID`.
    private func undoSale() async throws {
        guard let last = sales.last else {
            throw CommandFailure(
                .notFound,
                "this till has sold nothing since it was started; `history` lists earlier sales, and `undo ID` takes one back"
            )
        }
        _ = try await UndoCommand(id: last).undo(last, in: context, printsRecords: false)
    }

    private mutating func add(_ text: String) async throws {
        let code: SKU
        do {
            code = try SKU(text)
        } catch {
            throw CommandFailure(.usage, "\"\(text.shown)\": \(error.reason)")
        }
        let taken = Dictionary(basket.scans.map { ($0.sku, 1) }, uniquingKeysWith: +)
        let stored = try await context.finder.record(for: code, isSale: true, taken: taken)
        let record = stored.record
        if !basket.sellsDrafts { try record.checkOffered() }
        let others = basket.scans.filter { $0.sku == record.sku }
        let available = record.available(on: context.today)
        guard others.count < available else {
            let kept = available < record.quantity ? "; `sell --for NAME` sells a reserved copy" : ""
            throw CommandFailure(
                .conflict, "there are not enough copies of \(record.sku.text): \(available) can be sold\(kept)")
        }
        let scan = Basket.Scan(stored: stored, price: others.first?.price ?? record.price)
        basket.scans.append(scan)
        try show(
            [
                record.sku.text, "\(record.artist): \(record.title)", record.conditions, [scan.price].text,
                "\(available - others.count - 1) left",
            ].filter { !$0.isEmpty }.map(\.escapedForTerminal).joined(separator: "  "))
        try showTotal()
    }

    /// Shows what happens before a sale. With `--json`, the results are the sales alone.
    private func show(_ text: String) throws {
        if context.printsJSON { console.note(text) } else { try console.print(text) }
    }

    private func showTotal() throws {
        if basket.isEmpty { return console.note("The basket is empty.") }
        try show("Total: \(basket.scans.count) for \(try total().text)")
    }

    /// Returns the total of each currency. Throws if there is none.
    private func total() throws -> [Money] {
        do {
            return try movements().total()
        } catch let error as InvalidValue {
            throw CommandFailure(.usage, "the basket has no total: \(error.reason)")
        }
    }

    /// Returns the movements of the sale, as `pay` makes them.
    private func movements() throws -> [Movement] {
        let lines = basket.lines
        return try CopyMover.movements(
            of: basket.sale, lines.map(\.stored), lines, CopyMover.parts(of: lines), stock.source)
    }
}

// Payment.
extension Counter {
    private func kinds(for name: String) async throws -> PaymentKinds {
        guard PaymentKinds.mustBeRead(for: name) else { return PaymentKinds() }
        return try await stock.look(payments: true).payments ?? PaymentKinds()
    }

    private static func amount(_ text: String, in currency: Currency, _ word: String) throws -> Money {
        do throws(InvalidValue) {
            return try Money(text, in: currency)
        } catch {
            throw CommandFailure(.usage, "\(word) \"\(text.shown)\": \(error.reason)")
        }
    }

    /// Reads the operands of `pay`: a kind of payment, what is given, both or neither.
    private func payment(_ operands: [String], _ total: [Money]) async throws -> Basket.Payment {
        var operands = operands[...]
        var paid = Basket.Payment(kind: payment)
        // Kinds begin with a letter.
        if let kind = operands.first, kind.first?.isNumber != true {
            paid.kind = kind
            operands.removeFirst()
        }
        if let kind = paid.kind { paid.kind = try await kinds(for: kind).checked(kind) }
        guard let text = operands.popFirst() else { return paid }
        guard operands.isEmpty else {
            throw CommandFailure(.usage, "pay takes a kind and an amount, such as pay cash 50; nothing was sold")
        }
        guard total.count == 1, let due = total.first else {
            throw CommandFailure(
                .usage,
                "the basket has several currencies, so there is no change; pay each by itself. Nothing was sold.")
        }
        let given = try Self.amount(text, in: due.currency, "pay")
        guard given.amount >= due.amount else {
            throw CommandFailure(
                .usage,
                "\([given].text) is less than the total of \([due].text), so nothing was sold; a sale cannot be paid in "
                    + "several ways yet")
        }
        paid.given = given
        return paid
    }

    /// Sells the basket and prints a receipt. Keeps the basket if it was not sold.
    private mutating func pay(_ operands: [String]) async throws {
        guard !basket.isEmpty else { throw CommandFailure(.usage, "the basket is empty; scan a record first") }
        basket.payment = try await payment(operands, try total())
        let command = basket.command ?? MovementSource.newCommand(on: context.today)
        basket.command = command
        var context = context
        context.stock.source.command = command
        // Known before the sale is sent: after a loss of power, `history --id` tells whether it was made.
        if !context.isDryRun { console.note("This is the sale \(command).") }
        do {
            let sold = try await CopyMover(context: context).moved(basket.sale, basket.lines)
            try finish(sold.map { ($0.record, $0.movements[0]) })
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
    private mutating func settle() async throws -> Bool {
        guard basket.isSent, let command = basket.command else { return false }
        let made: [Movement]
        do {
            made = try await stock.movements(MovementFilter(command: command)).filter { $0.kind == .sale }
        } catch {
            let failure = try context.failure(ofLine: error)
            throw CommandFailure(
                failure.exitCode,
                "it is not known yet whether the sale \(command) was made, and nothing is scanned until it is "
                    + "(`history --id \(command)` tells): \(failure.message)")
        }
        basket.isSent = false
        if made.isEmpty {
            console.note("The sale \(command) was not made. The basket is as it was.")
            return false
        }
        console.note("The sale \(command) was made.")
        let records = basket.lines.map(\.stored.record)
        try finish(
            made.compactMap { movement in
                records.first { $0.sku == movement.sku }.map { ($0, movement) }
            })
        return true
    }

    /// Empties the basket, and prints the receipt.
    private mutating func finish(_ sold: [(record: Record, movement: Movement)]) throws {
        let command = basket.command ?? ""
        let given = basket.payment.given
        basket.empty()
        if !context.isDryRun { sales.append(command) }
        let total = try sold.map(\.movement).total()
        try context.printResultsOfChange(context.isDryRun ? "Nothing was written." : "The sale \(command) was made.") {
            if context.printsJSON {
                return try console.print(
                    json: (["id": .string(command), "movements": .array(sold.map(\.movement.json))] as JSONValue).text()
                )
            }
            if context.isDryRun { try console.print("Nothing was written. The receipt would be:") }
            for line in receipt(sold, total, given) { try console.print(line.escapedForTerminal) }
        }
        if context.printsJSON, let given { console.note("Change: \(Self.change(given, total).text)") }
    }

    private static func change(_ given: Money, _ total: [Money]) -> [Money] {
        [Money(amount: given.amount - (total.first?.amount ?? 0), currency: given.currency)]
    }

    /// Returns the lines of a receipt, 40 columns wide.
    private func receipt(
        _ sold: [(record: Record, movement: Movement)], _ total: [Money], _ given: Money?
    ) -> [String] {
        let width = 40
        func row(_ left: String, _ right: String) -> String {
            let space = width - right.displayWidth - 1
            let left = left.truncated(toWidth: max(1, space))
            return left + String(repeating: " ", count: max(1, width - left.displayWidth - right.displayWidth)) + right
        }
        var lines = [String(repeating: "-", count: width)]
        for (record, movement) in sold {
            let price = movement.price ?? record.price
            lines.append("\(record.artist): \(record.title)".truncated(toWidth: width))
            let condition = record.mediaCondition.map { " \($0.rawValue)" } ?? ""
            let amount = (movement.paid?.amount ?? 0) + (movement.discount ?? 0)
            lines.append(
                row(
                    "  \(record.sku.text)\(condition)  \(-movement.quantity) x \(price.decimalText)",
                    Money(amount: amount, currency: price.currency).decimalText))
            if let discount = movement.discount {
                lines.append(row("  discount", "-" + Money(amount: discount, currency: price.currency).decimalText))
            }
        }
        lines.append(String(repeating: "-", count: width))
        let first = sold.first?.movement
        lines.append(row("Total", total.text))
        if let payment = first?.payment { lines.append(row("Paid", payment)) }
        if let given {
            lines.append(row("Given", [given].text))
            lines.append(row("Change", Self.change(given, total).text))
        }
        lines.append(row(first?.time.minuteText ?? "", first?.till ?? ""))
        lines.append(first?.command ?? "")
        lines.append(String(repeating: "-", count: width))
        return lines
    }
}
