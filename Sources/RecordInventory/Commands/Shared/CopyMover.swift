/// Moves copies in or out. The till sells with it too.
struct CopyMover: Sendable {
    let context: CommandContext

    /// Copies of one record.
    struct Line: Sendable {
        var stored: StoredRecord
        var count: Int
        /// The price of one copy, in place of the record's.
        var price: Money?
        /// What happens to these copies within a sale: a return or a trade-in. `nil` is what the command does.
        var kind: Movement.Kind?
        /// The movement of the sale that the copies come back from.
        var sale: Movement?

        var sku: SKU { stored.record.sku }
    }

    /// Copies of a line that have one movement.
    struct Part: Sendable {
        /// The position of the line.
        let line: Int
        let count: Int
        /// The sale that the copies come back from, with their part of its discount.
        var sale: Movement?
    }

    /// A record after its movements, and what happened.
    struct Moved: Sendable {
        let record: Record
        let movements: [Movement]
        let sentence: String
    }

    /// Runs a command that moves copies.
    ///
    /// - Parameter work: Moves the lines. The kind of payment was checked.
    func run(
        _ move: CopyMove, _ work: (CopyMover, CopyMove, StockLook, [Line]) async throws -> [Moved]
    ) async throws -> ExitCode {
        let identity = MovementMaker.Identity(
            id: move.id, kind: move.kind, codes: move.codes, copies: move.codes.count * move.count,
            reason: move.reason)
        return try await context.maker.once(identity) { context in
            let mover = CopyMover(context: context)
            let look = try await context.finder.look(
                at: move.codes, naming: move.sale, payments: PaymentKinds.mustBeRead(for: move.payment))
            var checked = move
            checked.payment = try (look.payments ?? PaymentKinds()).checked(move.payment)
            let moved = try await work(mover, checked, look, try mover.lines(of: move, look))
            try context.report(moved.map(\.sentence).joined(separator: "\n")) {
                guard context.printsChanges else { return }
                if moved.count == 1 {
                    try context.printRecord(moved[0].record)
                } else {
                    try context.printRecords(moved.map(\.record))
                }
            }
        }
    }

    /// Runs a command whose lines are moved as they are.
    func run(_ move: CopyMove) async throws -> ExitCode {
        try await run(move) { mover, move, look, lines in
            try await mover.moved(move, lines, seen: look, ifUnknown: mover.context.maker.repetition)
        }
    }

    /// Finds the records of the codes. Of several with a barcode, a sale takes the one in stock.
    private func lines(of move: CopyMove, _ look: StockLook) throws -> [Line] {
        var lines: [Line] = []
        for code in move.codes {
            let stored = try context.finder.record(
                for: code, in: look, isSale: move.kind == .sale,
                taken: Dictionary(uniqueKeysWithValues: lines.map { ($0.sku, $0.count) }))
            if let index = lines.firstIndex(where: { $0.sku == stored.record.sku }) {
                lines[index].count += move.count
            } else {
                lines.append(Line(stored: stored, count: move.count, price: try move.price(of: stored.record)))
            }
        }
        return lines
    }

    /// Creates the movements of all lines, or none.
    ///
    /// - Parameters:
    ///   - seen: What was just read of the records.
    ///   - undoing: The ids of movements. Each look also reads what takes them back.
    ///   - advice: What to do if the outcome is unknown.
    ///   - divide: Divides the lines. The default is one part for each.
    func moved(
        _ move: CopyMove, _ lines: [Line], seen: StockLook? = nil, undoing: [String] = [],
        ifUnknown advice: String? = nil, _ divide: ((StockLook) async throws -> [Part])? = nil
    ) async throws -> [Moved] {
        let source = context.stock.source.numbered
        var movements: [Movement] = []
        let skus = lines.reduce(into: [SKU]()) { skus, line in if !skus.contains(line.sku) { skus.append(line.sku) } }
        let records: [StoredRecord]
        do {
            records = try await context.maker.change(skus, seen: seen, undoing: undoing, ifUnknown: advice) { look in
                let current = try look.records(lines.map(\.sku))
                if !move.isForced {
                    for (line, stored) in zip(lines, current) where line.kind ?? move.kind == .sale {
                        try stored.record.checkOffered()
                    }
                }
                let parts = try await divide?(look) ?? Self.parts(of: lines, look.undoing)
                movements = try Self.movements(of: move, current, lines, parts, source)
                var number = movements.count
                return try look.records(skus).map { stored in
                    let own = movements.filter { $0.sku == stored.record.sku }
                    var record = try stored.record.moved(by: own.map(\.quantity).reduce(0, +))
                    for movement in own where movement.kind == .tradeIn {
                        try record.takeCost(of: movement, before: stored.record)
                    }
                    let sold = own.filter { $0.kind == .sale }.map { -$0.quantity }.reduce(0, +)
                    guard sold > 0 else { return .change(stored, to: record, own) }
                    let releases = try record.releases(
                        for: move.customer, of: stored.record, sold, source, after: number)
                    number += releases.count
                    return .change(stored, to: record, own + releases)
                }
            }
        } catch let error as InvalidValue {
            throw UsageError((error == .tooLarge ? "" : "the discount: ") + error.reason, command: "sell")
        }
        return try records.map { stored in
            let own = movements.filter { $0.sku == stored.record.sku }
            return Moved(record: stored.record, movements: own, sentence: try own.sentence(about: stored.record))
        }
    }

    /// Returns the only part of each line.
    ///
    /// - Parameter returns: What came back of the sales before.
    /// - Throws: ``CommandFailure`` if more comes back of a sale than was sold.
    static func parts(of lines: [Line], _ returns: [Movement]) throws -> [Part] {
        try lines.enumerated().map { index, line in
            guard let sale = line.sale else { return Part(line: index, count: line.count) }
            let own = returns.filter { $0.undoes == sale.id }
            let back = own.map(\.quantity).reduce(0, +)
            guard line.count + back <= -sale.quantity else {
                throw CommandFailure(
                    .conflict,
                    "the sale \(sale.command ?? sale.id) had \(-sale.quantity) of \(line.sku.text), of which \(back) came "
                        + "back already; nothing was changed")
            }
            return Part(line: index, count: line.count, sale: sale.returning(line.count, after: own))
        }
    }

    /// Returns the movement of each part. A discount is taken off what is sold.
    ///
    /// - Parameter current: The records of the lines as they are now.
    /// - Throws: `InvalidValue` if the discount does not suit the prices, or an amount is too large.
    static func movements(
        of move: CopyMove, _ current: [StoredRecord], _ lines: [Line], _ parts: [Part], _ source: MovementSource
    ) throws -> [Movement] {
        var movements: [Movement] = []
        for (index, part) in parts.enumerated() {
            let record = current[part.line].record
            let kind = lines[part.line].kind ?? move.kind
            let isOut = kind == .sale || kind == .writeOff
            var movement = source.movement(index + 1, of: record.sku, kind, isOut ? -part.count : part.count)
            movement.payment = move.payment
            movement.cost = record.cost
            if let sale = part.sale {
                movement.take(sale)
                // What comes back within a sale is part of its total, which is paid in one way.
                if move.kind == .sale { movement.payment = move.payment }
            }
            if let price = lines[part.line].price {
                guard price.currency == record.price.currency else {
                    throw CommandFailure(
                        .conflict,
                        "\(record.sku.text) was changed from \(price.currency.code) to \(record.price.currency.code) "
                            + "meanwhile; nothing was changed, begin again")
                }
                movement.price = price
                movement.discount = nil
            } else if part.sale == nil, kind == .sale || kind == .return {
                movement.price = record.price
            }
            movements.append(movement)
        }
        if let discount = move.discount {
            let sold = movements.indices.filter { movements[$0].kind == .sale }
            let amounts = try sold.map { try movements[$0].amount() }
            for (index, part) in zip(sold, try discount.parts(of: amounts)) where part > 0 {
                movements[index].discount = part
            }
        }
        for movement in movements where movement.price != nil && movement.paid == nil { throw InvalidValue.tooLarge }
        return movements
    }
}

extension PaymentKinds {
    /// Returns whether a kind may be one that the shop has added.
    static func mustBeRead(for kind: String?) -> Bool {
        kind.map { (try? PaymentKinds().kind($0)) == nil } ?? false
    }

    /// Returns the kind of a name on the command line.
    func checked(_ name: String?) throws(UsageError) -> String? {
        guard let name else { return nil }
        do {
            return try kind(name)
        } catch {
            throw UsageError("the payment \"\(name.shown)\": \(error.reason)")
        }
    }
}

extension Record {
    /// Throws if the record is a draft, which is not for sale yet.
    func checkOffered() throws(CommandFailure) {
        guard status == .draft else { return }
        throw CommandFailure(
            .conflict,
            "\(sku.text), \(artist): \(title), is a draft, so nothing was sold; offer it with `edit \(sku.text) --status "
                + "for_sale`, or sell it with --force")
    }

    /// Takes the average cost of the copies in stock and of those that were bought. Copies of unknown cost do not count.
    ///
    /// - Parameter old: The record before it was bought.
    fileprivate mutating func takeCost(of movement: Movement, before old: Record) throws(InvalidValue) {
        guard let price = movement.price?.amount else { return }
        guard let known = old.cost, old.quantity > 0 else {
            cost = price
            return
        }
        let copies = Int128(old.quantity) + Int128(movement.quantity)
        let sum = Int128(known) * Int128(old.quantity) + Int128(price) * Int128(movement.quantity)
        guard let average = Int64(exactly: (2 * sum + copies) / (2 * copies)) else { throw .tooLarge }
        cost = average
    }

    /// Checks that the copies can be sold, and makes those available that are reserved for the customer. Returns the
    /// movements of this.
    ///
    /// - Parameters:
    ///   - old: The record before the sale.
    ///   - number: The number of the movement before.
    fileprivate mutating func releases(
        for customer: String?, of old: Record, _ count: Int, _ source: MovementSource, after number: Int
    ) throws(CommandFailure) -> [Movement] {
        var releases: [Movement] = []
        if let customer {
            var open = count
            for var reservation in reservations
            where reservation.name == customer && open > 0 && reservation.quantity > 0 {
                reservation.quantity = min(open, reservation.quantity)
                open -= reservation.quantity
                var release = source.release(number + releases.count + 1, of: sku, reservation)
                release.reason = "sold to \(customer)"
                releases.append(release)
            }
            guard !releases.isEmpty else {
                throw CommandFailure(
                    .conflict, "no copy of \(sku.text) is reserved for \(customer); nothing was changed")
            }
            for release in releases { reserve(by: release) }
        }
        let day = source.now().day
        let reserved = reserved(on: day)
        guard quantity >= reserved else {
            let names = Set(reservations.filter { $0.stands(on: day) }.map(\.name)).sorted().joined(separator: ", ")
            throw CommandFailure(
                .conflict,
                "there are not enough copies of \(sku.text): \(old.quantity) in stock, of which \(reserved) \(reserved == 1 ? "is" : "are") "
                    + "reserved for \(names), \(count) wanted; sell a reserved copy with --for NAME, or `release` it")
        }
        return releases
    }
}

extension Movement {
    /// Takes the price and the discount of a sale that comes back.
    fileprivate mutating func take(_ sale: Movement) {
        price = sale.price
        discount = sale.discount
        cost = sale.cost
        payment = payment ?? sale.payment
        undoes = sale.id
    }

    /// Returns the sale with the part of its discount that belongs to copies that come back. The parts add up to the
    /// whole with the last copy.
    ///
    /// - Parameter returns: What came back before.
    func returning(_ count: Int, after returns: [Movement]) -> Movement {
        var sale = self
        guard let discount, quantity != 0 else { return sale }
        let back = returns.map(\.quantity).reduce(count, +)
        let due = Int64(Int128(discount) * Int128(back) / Int128(quantity.magnitude))
        sale.discount = max(0, due - returns.compactMap(\.discount).reduce(0, +))
        return sale
    }

    /// Returns what the copies cost before the discount.
    fileprivate func amount() throws(InvalidValue) -> Money {
        guard let price else { throw InvalidValue("there is no price") }
        let (amount, overflow) = price.amount.multipliedReportingOverflow(by: Int64(quantity.magnitude))
        if overflow { throw .tooLarge }
        return Money(amount: amount, currency: price.currency)
    }
}

extension [Movement] {
    /// What was paid, or paid back, in each currency: `37.00 EUR`, `5.00 EUR + 6.00 USD`.
    func total() throws(InvalidValue) -> [Money] {
        var totals: [Money] = []
        for movement in self {
            guard let paid = movement.paid else {
                if movement.price == nil { continue }
                throw .tooLarge
            }
            if let index = totals.firstIndex(where: { $0.currency == paid.currency }) {
                try totals[index].add(paid.amount)
            } else {
                totals.append(paid)
            }
        }
        return totals
    }

    /// What happened to one record: `Restocked 2 of LP-1; 3 in stock.` A sale names the record too: the copy on the
    /// counter may be another one.
    ///
    /// - Parameter record: The record after the movements.
    fileprivate func sentence(about record: Record) throws(InvalidValue) -> String {
        let (count, left, sku) = (map(\.quantity).reduce(0, +).magnitude, record.quantity, record.sku.text)
        let totals = try total().map { Money(amount: Swift.abs($0.amount), currency: $0.currency) }
        let amount = totals.isEmpty ? "" : " for \(totals.text)"
        return switch first?.kind {
        case .sale: "Sold \(count) of \(record.name)\(amount.isEmpty ? "" : ",")\(amount); \(left) left."
        case .return: "Took back \(count) of \(sku)\(amount); \(left) in stock."
        case .tradeIn: "Bought \(count) of \(sku)\(amount); \(left) in stock."
        case .writeOff: "Wrote off \(count) of \(sku); \(left) left."
        default: "Restocked \(count) of \(sku); \(left) in stock."
        }
    }
}

extension [Money] {
    /// The amounts with their currencies.
    var text: String { map { "\($0.decimalText) \($0.currency.code)" }.joined(separator: " + ") }
}
