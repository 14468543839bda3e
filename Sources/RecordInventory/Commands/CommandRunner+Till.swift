// The counter: a loop that reads from the scanner.
extension CommandRunner {
    /// The lines of a sale that is not made yet.
    private struct Basket {
        var lines: [Line] = []
        var discount: Discount?
        /// Whether drafts are sold too.
        let sellsDrafts: Bool

        var copies: Int { lines.map(\.count).reduce(0, +) }
    }

    /// The words that are no codes. A record whose SKU is such a word is sold with `sell`.
    private enum Word: String, CaseIterable {
        case undo, total, pay, discount, price, cancel, help, quit
    }

    /// Reads codes and words line by line, until the end of the input.
    func till(_ payment: String?, sellsDrafts: Bool) async throws -> ExitCode {
        var reader = LineReader(console.input)
        var basket = Basket(sellsDrafts: sellsDrafts)
        var hasFailed = false
        if console.canAsk {
            console.note("Scan a barcode or type a SKU. pay sells, undo takes back a line, help lists more.")
        }
        if isDryRun { console.note("This is a dry run: nothing is written, and nothing is sold.") }
        while let line = try reader.next() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first else { continue }
            do {
                if first == Word.quit.rawValue, words.count == 1 { break }
                if let word = Word(rawValue: first.lowercased()) {
                    try await run(word, Array(words.dropFirst()), &basket, payment)
                } else {
                    try await add(line.trimmed, to: &basket)
                }
            } catch let error as InventoryError {
                hasFailed = true
                console.complain(try CommandFailure(error).message)
            } catch let failure as CommandFailure {
                hasFailed = true
                console.complain(failure.message)
            } catch let error as StockShortage {
                hasFailed = true
                console.complain("\(error)")
            } catch let error as UsageError {
                hasFailed = true
                console.complain(error.message)
            }
            try console.flush()
        }
        guard basket.lines.isEmpty else {
            throw CommandFailure(
                .failed, "the input ended without pay: \(basket.copies) in the basket, not sold")
        }
        return hasFailed ? .partlyDone : .done
    }

    private func run(
        _ word: Word, _ operands: [String], _ basket: inout Basket, _ payment: String?
    ) async throws {
        let operand = operands.joined(separator: " ")
        switch word {
        case .help: console.note(Self.help)
        case .total: try showTotal(of: basket)
        case .cancel:
            basket = Basket(sellsDrafts: basket.sellsDrafts)
            console.note("The basket is empty. Nothing was sold.")
        case .undo:
            guard var last = basket.lines.popLast() else {
                // Nothing is in the basket, so the last sale is meant.
                return try await undo(nil, nil, isAtCounter: true)
            }
            last.count -= 1
            if last.count > 0 { basket.lines.append(last) }
            console.note("Took \(last.stored.record.sku.text) out of the basket.")
            try showTotal(of: basket)
        case .discount:
            do {
                basket.discount = operand.isEmpty ? nil : try Discount(operand)
                _ = try amounts(of: basket)
            } catch {
                basket.discount = nil
                throw CommandFailure(.usage, "discount \"\(operand.shown)\": \(error.reason)")
            }
            try showTotal(of: basket)
        case .price:
            guard let index = basket.lines.indices.last else { throw CommandFailure(.usage, "scan a record first") }
            do {
                _ = try Money(operand, in: basket.lines[index].stored.record.price.currency)
            } catch {
                throw CommandFailure(.usage, "price \"\(operand.shown)\": \(error.reason)")
            }
            basket.lines[index].price = operand
            try showTotal(of: basket)
        case .pay: try await pay(&basket, operand.isEmpty ? payment : operand)
        case .quit: throw CommandFailure(.usage, "quit takes no operand")
        }
    }

    private static let help = """
        A barcode or a SKU adds a copy. Words:
          pay [KIND]       sells the basket: pay cash, pay card
          undo             takes the last copy out of the basket; with an empty basket, takes back the last sale
          price AMOUNT     sets the price of the last record
          discount AMOUNT  takes an amount or a percentage off; without AMOUNT, none
          total            shows the basket
          cancel           empties the basket
          quit             ends
        """

    private func add(_ text: String, to basket: inout Basket) async throws {
        let code: SKU
        do {
            code = try SKU(text)
        } catch {
            throw CommandFailure(.usage, "\"\(text.shown)\": \(error.reason)")
        }
        let stored = try await record(for: code, isSale: true, after: basket.lines)
        let record = stored.record
        if !basket.sellsDrafts { try record.checkOffered() }
        var line = Line(stored: stored, count: 1)
        if let index = basket.lines.firstIndex(where: { $0.stored.record.sku == record.sku }) {
            line = basket.lines.remove(at: index)
            line.count += 1
        }
        let available = record.available(on: stock.source.now().day)
        let left = available - line.count
        guard left >= 0 else {
            if line.count > 1 {
                line.count -= 1
                basket.lines.append(line)
            }
            throw CommandFailure(
                .conflict, "there are not enough copies of \(record.sku.text): \(available) can be sold")
        }
        basket.lines.append(line)
        try console.print(
            [
                record.sku.text, "\(record.artist): \(record.title)", record.conditions,
                "\(record.price.decimalText) \(record.price.currency.code)", "\(left) left",
            ].filter { !$0.isEmpty }.map(\.escapedForTerminal).joined(separator: "  "))
        try showTotal(of: basket)
    }

    /// Returns the price and the discount of each line.
    private func amounts(of basket: Basket) throws(InvalidValue) -> [(price: Money, amount: Money, discount: Int64)] {
        var prices: [Money] = []
        var amounts: [Money] = []
        for line in basket.lines {
            let price =
                try line.price.map { text throws(InvalidValue) in
                    try Money(text, in: line.stored.record.price.currency)
                } ?? line.stored.record.price
            let (amount, overflow) = price.amount.multipliedReportingOverflow(by: Int64(line.count))
            guard !overflow else { throw InvalidValue("too large an amount") }
            prices.append(price)
            amounts.append(Money(amount: amount, currency: price.currency))
        }
        let discounts = try basket.discount?.parts(of: amounts) ?? amounts.map { _ in 0 }
        return zip(zip(prices, amounts), discounts).map { ($0.0, $0.1, $1) }
    }

    /// Returns the total of each currency, such as `37.00 EUR`.
    private func total(of basket: Basket) throws(InvalidValue) -> String {
        var totals: [(currency: Currency, amount: Int64)] = []
        for (_, amount, discount) in try amounts(of: basket) {
            if let index = totals.firstIndex(where: { $0.currency == amount.currency }) {
                totals[index].amount &+= amount.amount &- discount
            } else {
                totals.append((amount.currency, amount.amount &- discount))
            }
        }
        return totals.map { "\(Money(amount: $0.amount, currency: $0.currency).decimalText) \($0.currency.code)" }
            .joined(separator: " + ")
    }

    private func showTotal(of basket: Basket) throws {
        if basket.lines.isEmpty { return console.note("The basket is empty.") }
        do {
            try console.print("Total: \(basket.copies) for \(try total(of: basket))")
        } catch let error as InvalidValue {
            throw CommandFailure(.usage, "the basket has no total: \(error.reason)")
        }
    }

    /// Sells the basket and prints a receipt. Keeps the basket if it was not sold.
    private func pay(_ basket: inout Basket, _ payment: String?) async throws {
        guard !basket.lines.isEmpty else { throw CommandFailure(.usage, "the basket is empty; scan a record first") }
        var runner = self
        let command = MovementSource.newCommand(on: stock.source.now().day)
        runner.stock.source.command = command
        var move = Command.Move(kind: .sale, codes: [])
        move.payment = payment
        move.discount = basket.discount
        move.sellsDrafts = basket.sellsDrafts
        // Known before the sale is sent: after a loss of power, `history --id` tells whether it was made.
        console.detail("This is the sale \(command).")
        let sold = try await runner.moved(move, basket.lines)
        let text: String
        do { text = try total(of: basket) } catch { throw CommandFailure(.usage, error.reason) }
        basket = Basket(sellsDrafts: basket.sellsDrafts)
        try printResultsOfChange(isDryRun ? "Nothing was written." : "The sale \(command) was made.") {
            if printsJSON {
                return try console.print(
                    json: (["id": .string(command), "movements": .array(sold.map(\.movement.json))] as JSONValue).text()
                )
            }
            if isDryRun { try console.print("Nothing was written. The receipt would be:") }
            for line in receipt(sold, text, payment) { try console.print(line.escapedForTerminal) }
        }
    }

    /// Returns the lines of a receipt, 40 columns wide.
    private func receipt(_ sold: [Moved], _ total: String, _ payment: String?) -> [String] {
        let width = 40
        func row(_ left: String, _ right: String) -> String {
            let space = width - right.displayWidth - 1
            let left = left.truncated(toWidth: max(1, space))
            return left + String(repeating: " ", count: max(1, width - left.displayWidth - right.displayWidth)) + right
        }
        var lines = [String(repeating: "-", count: width)]
        for moved in sold {
            let (record, movement) = (moved.record, moved.movement)
            let price = movement.price ?? record.price
            let count = -movement.quantity
            lines.append("\(record.artist): \(record.title)".truncated(toWidth: width))
            let amount = Money(amount: price.amount &* Int64(count), currency: price.currency)
            let condition = record.mediaCondition.map { " \($0.rawValue)" } ?? ""
            lines.append(
                row("  \(record.sku.text)\(condition)  \(count) x \(price.decimalText)", amount.decimalText))
            if let discount = movement.discount {
                lines.append(row("  discount", "-" + Money(amount: discount, currency: price.currency).decimalText))
            }
        }
        lines.append(String(repeating: "-", count: width))
        lines.append(row("Total", total))
        if let payment { lines.append(row("Paid", payment)) }
        let first = sold.first?.movement
        lines.append(row(first?.time.minuteText ?? "", first?.till ?? ""))
        lines.append(first?.command ?? "")
        lines.append(String(repeating: "-", count: width))
        return lines
    }
}
