// The counter: a loop that reads from the scanner.
extension CommandRunner {
    /// A sale that is not made yet.
    private struct Basket {
        /// A copy in the order of the scanner, with the price that was shown. All copies of a record have one price.
        struct Scan {
            let stored: StoredRecord
            var price: Money

            var sku: SKU { stored.record.sku }
        }

        var scans: [Scan] = []
        var discount: Discount?
        /// Whether drafts are sold too.
        let sellsDrafts: Bool
        /// The id of the sale, from the first `pay` on.
        var command: String?
        /// Whether `pay` sent the sale, and its outcome is unknown.
        var isSent = false

        /// A line for each record.
        var lines: [Line] {
            var lines: [Line] = []
            for scan in scans {
                if let index = lines.firstIndex(where: { $0.stored.record.sku == scan.sku }) {
                    lines[index].count += 1
                } else {
                    lines.append(Line(stored: scan.stored, count: 1, price: scan.price))
                }
            }
            return lines
        }

        func sale(_ payment: String?) -> Command.Move {
            var move = Command.Move(kind: .sale, codes: [])
            move.payment = payment
            move.discount = discount
            move.sellsDrafts = sellsDrafts
            return move
        }
    }

    /// The words that are no codes. A record whose SKU is such a word is sold with `sell`.
    private enum Word: String, CaseIterable {
        case undo, total, pay, discount, price, cancel, help, quit
    }

    /// Reads codes and words line by line, until the end of the input.
    func till(_ payment: String?, sellsDrafts: Bool) async throws -> ExitCode {
        var basket = Basket(sellsDrafts: sellsDrafts)
        var hasFailed = false
        if console.canAsk {
            console.note("Scan a barcode or type a SKU. pay sells, undo takes back a line, help lists more.")
        }
        if isDryRun { console.note("This is a dry run: nothing is written, and nothing is sold.") }
        while let line = try console.nextLine() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first else { continue }
            let word = Word(rawValue: first.lowercased())
            if word == .quit, words.count == 1 { break }
            do {
                let isSold = try await settle(&basket)
                if let word {
                    // A word was meant for the basket that was sold.
                    if !isSold { try await run(word, Array(words.dropFirst()), &basket, payment) }
                } else {
                    try await add(line.trimmed, to: &basket)
                }
            } catch {
                hasFailed = true
                console.complain(try failure(ofLine: error).message)
            }
            try console.flush()
        }
        _ = try await settle(&basket)
        guard basket.scans.isEmpty else {
            throw CommandFailure(
                .failed, "the input ended without pay: \(basket.scans.count) in the basket, not sold")
        }
        return hasFailed ? .partlyDone : .done
    }

    private func run(
        _ word: Word, _ operands: [String], _ basket: inout Basket, _ payment: String?
    ) async throws {
        let operand = operands.joined(separator: " ")
        switch word {
        case .help: console.note(Self.help)
        case .total:
            for line in basket.lines {
                let price = line.price ?? line.stored.record.price
                try show("\(line.count) x \(line.stored.record.name), \(price.decimalText) \(price.currency.code)")
            }
            try showTotal(of: basket)
        case .cancel:
            basket = Basket(sellsDrafts: basket.sellsDrafts)
            console.note("The basket is empty. Nothing was sold.")
        case .undo:
            guard let last = basket.scans.popLast() else {
                // Nothing is in the basket, so the last sale is meant.
                return try await undo(nil, nil, isAtCounter: true)
            }
            // The next sale is another customer's.
            if basket.scans.isEmpty { basket.discount = nil }
            console.note("Took \(last.sku.text) out of the basket.")
            try showTotal(of: basket)
        case .discount:
            let before = basket.discount
            do {
                basket.discount = operand.isEmpty ? nil : try Discount(operand)
                _ = try movements(of: basket)
            } catch let error as InvalidValue {
                basket.discount = before
                throw CommandFailure(.usage, "discount \"\(operand.shown)\": \(error.reason)")
            }
            try showTotal(of: basket)
        case .price:
            guard let last = basket.scans.last else { throw CommandFailure(.usage, "scan a record first") }
            let price: Money
            do {
                price = try Money(operand, in: last.price.currency)
            } catch {
                throw CommandFailure(.usage, "price \"\(operand.shown)\": \(error.reason)")
            }
            for index in basket.scans.indices where basket.scans[index].sku == last.sku {
                basket.scans[index].price = price
            }
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
        let others = basket.scans.filter { $0.sku == record.sku }
        let available = record.available(on: stock.source.now().day)
        guard others.count < available else {
            let kept = available < record.quantity ? "; `sell --for NAME` sells a reserved copy" : ""
            throw CommandFailure(
                .conflict, "there are not enough copies of \(record.sku.text): \(available) can be sold\(kept)")
        }
        let scan = Basket.Scan(stored: stored, price: others.first?.price ?? record.price)
        basket.scans.append(scan)
        try show(
            [
                record.sku.text, "\(record.artist): \(record.title)", record.conditions,
                "\(scan.price.decimalText) \(scan.price.currency.code)", "\(available - others.count - 1) left",
            ].filter { !$0.isEmpty }.map(\.escapedForTerminal).joined(separator: "  "))
        try showTotal(of: basket)
    }

    /// Shows what happens before a sale. With `--json`, the results are the sales alone.
    private func show(_ text: String) throws {
        if printsJSON { console.note(text) } else { try console.print(text) }
    }

    private func showTotal(of basket: Basket) throws {
        if basket.scans.isEmpty { return console.note("The basket is empty.") }
        try show("Total: \(basket.scans.count) for \(total(of: try checked(basket)))")
    }

    /// Returns the movements of the sale. Throws if it has no total.
    private func checked(_ basket: Basket) throws -> [Movement] {
        do {
            return try movements(of: basket)
        } catch let error as InvalidValue {
            throw CommandFailure(.usage, "the basket has no total: \(error.reason)")
        }
    }

    /// Returns the movements of the sale, as `pay` makes them.
    private func movements(of basket: Basket) throws -> [Movement] {
        let lines = basket.lines
        let movements = try Self.movements(of: basket.sale(nil), lines.map(\.stored), lines, stock.source)
        guard movements.allSatisfy({ $0.paid != nil }) else { throw InvalidValue("too large an amount") }
        return movements
    }

    /// Returns the total of each currency, such as `37.00 EUR`.
    private func total(of movements: [Movement]) -> String {
        var totals: [Money] = []
        for paid in movements.compactMap(\.paid) {
            if let index = totals.firstIndex(where: { $0.currency == paid.currency }) {
                totals[index].amount &+= paid.amount
            } else {
                totals.append(paid)
            }
        }
        return totals.map { "\($0.decimalText) \($0.currency.code)" }.joined(separator: " + ")
    }

    /// Sells the basket and prints a receipt. Keeps the basket if it was not sold.
    private func pay(_ basket: inout Basket, _ payment: String?) async throws {
        guard !basket.scans.isEmpty else { throw CommandFailure(.usage, "the basket is empty; scan a record first") }
        _ = try checked(basket)
        let command = basket.command ?? MovementSource.newCommand(on: stock.source.now().day)
        basket.command = command
        var runner = self
        runner.stock.source.command = command
        // Known before the sale is sent: after a loss of power, `history --id` tells whether it was made.
        if !isDryRun { console.note("This is the sale \(command).") }
        do {
            let sold = try await runner.moved(basket.sale(payment), basket.lines)
            try finish(&basket, sold.map { ($0.record, $0.movement) })
        } catch let error as InventoryError {
            switch error {
            case .unanswered, .partlyMade, .alreadyMade:
                basket.isSent = true
                let failure = try CommandFailure(error)
                throw CommandFailure(
                    failure.exitCode, "\(failure.message) This till finds out before it sells anything more.")
            case .noLock(isChanged: true), .noLedger(isChanged: true): basket = Basket(sellsDrafts: basket.sellsDrafts)
            default: break
            }
            throw error
        }
    }

    /// Finds out whether a sale was made whose outcome is unknown. Returns whether it was: then the basket is empty.
    private func settle(_ basket: inout Basket) async throws -> Bool {
        guard basket.isSent, let command = basket.command else { return false }
        let made: [Movement]
        do {
            made = try await stock.movements(MovementFilter(command: command)).filter { $0.kind == .sale }
        } catch {
            let failure = try failure(ofLine: error)
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
            &basket,
            made.compactMap { movement in
                records.first { $0.sku == movement.sku }.map { ($0, movement) }
            })
        return true
    }

    /// Empties the basket, and prints the receipt.
    private func finish(_ basket: inout Basket, _ sold: [(record: Record, movement: Movement)]) throws {
        let command = basket.command ?? ""
        basket = Basket(sellsDrafts: basket.sellsDrafts)
        try printResultsOfChange(isDryRun ? "Nothing was written." : "The sale \(command) was made.") {
            if printsJSON {
                return try console.print(
                    json: (["id": .string(command), "movements": .array(sold.map(\.movement.json))] as JSONValue).text()
                )
            }
            if isDryRun { try console.print("Nothing was written. The receipt would be:") }
            for line in receipt(sold) { try console.print(line.escapedForTerminal) }
        }
    }

    /// Returns the lines of a receipt, 40 columns wide.
    private func receipt(_ sold: [(record: Record, movement: Movement)]) -> [String] {
        let width = 40
        func row(_ left: String, _ right: String) -> String {
            let space = width - right.displayWidth - 1
            let left = left.truncated(toWidth: max(1, space))
            return left + String(repeating: " ", count: max(1, width - left.displayWidth - right.displayWidth)) + right
        }
        var lines = [String(repeating: "-", count: width)]
        for (record, movement) in sold {
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
        let first = sold.first?.movement
        lines.append(row("Total", total(of: sold.map(\.movement))))
        if let payment = first?.payment { lines.append(row("Paid", payment)) }
        lines.append(row(first?.time.minuteText ?? "", first?.till ?? ""))
        lines.append(first?.command ?? "")
        lines.append(String(repeating: "-", count: width))
        return lines
    }
}
