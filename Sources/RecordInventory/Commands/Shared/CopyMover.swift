/// Copies that come in or go out: a sale, a return, a restock, a trade-in or a write-off.
struct CopyMove: Equatable, Sendable {
    let kind: Movement.Kind
    /// SKUs or barcodes, as tills scan them. One that comes twice is moved twice.
    var codes: [SKU]
    var count = 1
    /// The decimal price of one copy, in place of the record's.
    var price: String?
    var discount: Discount?
    var payment: String?
    var reason: String?
    /// The id of the command, which is made once.
    var id: String?
    /// The customer whose reserved copies are sold.
    var customer: String?
    /// The id of the sale that a return belongs to.
    var sale: String?
    /// Whether a sale takes drafts too, and a return copies that were not sold.
    var isForced = false
}

extension CopyMove {
    init(_ kind: Movement.Kind, _ arguments: ArgumentScanner) throws(UsageError) {
        self.kind = kind
        codes = try arguments.operands.map { text throws(UsageError) in try ArgumentScanner.sku(text) }
        count = try arguments.copies()
        if codes.count > 1, arguments.has("-n") {
            throw UsageError("-n belongs to a single SKU; type a SKU once for each copy")
        }
        price = arguments.value("--price")
        if let price {
            do {
                _ = try Money.units(in: price, decimals: FieldValue.priceDecimals, of: "the finest currency")
            } catch {
                throw UsageError("--price \"\(price.shown)\": \(error.reason)")
            }
        }
        if let text = arguments.value("--discount") {
            do {
                discount = try Discount(text)
            } catch {
                throw UsageError("--discount \"\(text.shown)\": \(error.reason)")
            }
        }
        payment = arguments.value("--payment")
        reason = arguments.value("--reason")
        customer = arguments.value("--for")
        id = try arguments.newID()
        sale = try arguments.value("--sale").map(ArgumentScanner.id)
        isForced = arguments.has("--force")
    }

    /// Returns the price of one copy that was given for a record.
    func price(of record: Record) throws -> Money? {
        guard let price else { return nil }
        do throws(InvalidValue) {
            return try Money(price, in: record.price.currency)
        } catch {
            throw UsageError("--price \"\(price.shown)\" of \(record.sku.text): \(error.reason)")
        }
    }
}

/// Moves copies in or out. The till sells with it too.
struct CopyMover: Sendable {
    let context: CommandContext

    /// Copies of one record.
    struct Line: Sendable {
        var stored: StoredRecord
        var count: Int
        /// The price of one copy, in place of the record's.
        var price: Money?

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
        let skus = lines.map(\.sku)
        let records: [StoredRecord]
        do {
            records = try await context.maker.change(skus, seen: seen, undoing: undoing, ifUnknown: advice) { look in
                let current = try look.records(skus)
                if move.kind == .sale, !move.isForced { for stored in current { try stored.record.checkOffered() } }
                let parts = try await divide?(look) ?? Self.parts(of: lines)
                movements = try Self.movements(of: move, current, lines, parts, source)
                var number = movements.count
                return try current.map { stored in
                    let own = movements.filter { $0.sku == stored.record.sku }
                    var record = try stored.record.moved(by: own.map(\.quantity).reduce(0, +))
                    if move.kind == .tradeIn { try own.forEach { try record.takeCost(of: $0, before: stored.record) } }
                    guard move.kind == .sale else { return .change(stored, to: record, own) }
                    let releases = try record.releases(
                        for: move.customer, of: stored.record, -own[0].quantity, source, after: number)
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

    static func parts(of lines: [Line]) -> [Part] {
        lines.enumerated().map { Part(line: $0, count: $1.count) }
    }

    /// Returns the movement of each part.
    ///
    /// - Parameter current: The records of the lines as they are now.
    /// - Throws: `InvalidValue` if the discount does not suit the prices, or an amount is too large.
    static func movements(
        of move: CopyMove, _ current: [StoredRecord], _ lines: [Line], _ parts: [Part], _ source: MovementSource
    ) throws -> [Movement] {
        let isOut = move.kind == .sale || move.kind == .writeOff
        var movements: [Movement] = []
        for (index, part) in parts.enumerated() {
            let record = current[part.line].record
            var movement = source.movement(index + 1, of: record.sku, move.kind, isOut ? -part.count : part.count)
            movement.payment = move.payment
            movement.cost = record.cost
            if let sale = part.sale { movement.take(sale) }
            if let price = lines[part.line].price {
                guard price.currency == record.price.currency else {
                    throw CommandFailure(
                        .conflict,
                        "\(record.sku.text) was changed from \(price.currency.code) to \(record.price.currency.code) "
                            + "meanwhile; nothing was changed, begin again")
                }
                movement.price = price
                movement.discount = nil
            } else if part.sale == nil, move.kind == .sale || move.kind == .return {
                movement.price = record.price
            }
            movements.append(movement)
        }
        if let discount = move.discount {
            let amounts = try movements.map { try $0.amount() }
            for (index, part) in try discount.parts(of: amounts).enumerated() where part > 0 {
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
            for var reservation in reservations where reservation.name == customer && open > 0 {
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
