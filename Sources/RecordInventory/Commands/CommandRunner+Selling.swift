// Copies that come in or go out.
extension CommandRunner {
    func move(_ move: Command.Move) async throws {
        let copies = move.codes.count * move.count
        try await makeOnce(move.id, move.kind, move.codes, copies: copies, reason: move.reason) { runner in
            let records = try await runner.moved(move, runner.lines(of: move))
            try report(records.map(\.sentence).joined(separator: "\n")) {
                if !printsJSON, console.results.isTerminal { return }
                if records.count == 1 {
                    try printRecord(records[0].record)
                } else {
                    try printRecords(records.map(\.record))
                }
            }
        }
    }

    /// A line of a sale, or of another movement: copies of one record.
    struct Line: Sendable {
        var stored: StoredRecord
        var count: Int
        /// The decimal price of one copy, in place of the record's.
        var price: String?
    }

    /// A record after its movement, and what happened.
    struct Moved: Sendable {
        let record: Record
        let movement: Movement
        let sentence: String
    }

    /// Finds the records of the codes. Of several with a barcode, takes the one in stock.
    private func lines(of move: Command.Move) async throws -> [Line] {
        var lines: [Line] = []
        for code in move.codes {
            let stored = try await record(for: code, isSale: move.kind == .sale, after: lines)
            if let index = lines.firstIndex(where: { $0.stored.record.sku == stored.record.sku }) {
                lines[index].count += move.count
            } else {
                lines.append(Line(stored: stored, count: move.count, price: move.price))
            }
        }
        return lines
    }

    /// Returns the record with a SKU or a scanned barcode.
    ///
    /// - Parameter lines: the copies that are taken already.
    func record(for code: SKU, isSale: Bool, after lines: [Line] = []) async throws -> StoredRecord {
        if let known = lines.first(where: { $0.stored.record.sku == code }) { return known.stored }
        return try await found(code) {
            do {
                return try await stock.fetch(code)
            } catch InventoryError.notFound {
                return try await scanned(code, isSale: isSale, after: lines)
            }
        }
    }

    /// Makes the movements of all lines, or none.
    func moved(_ move: Command.Move, _ lines: [Line]) async throws -> [Moved] {
        let source = stock.source.numbered
        var movements: [Movement] = []
        let skus = lines.map(\.stored.record.sku)
        let records: [StoredRecord]
        do {
            records = try await changed(skus, lines.map(\.stored)) { current in
                let sold = if let sale = move.sale { try await copies(of: sale, lines) } else { [String: Movement]() }
                if move.kind == .sale, !move.sellsDrafts { for stored in current { try stored.record.checkOffered() } }
                movements = try Self.movements(of: move, current, lines, source, sold)
                return try zip(zip(current, lines), movements).enumerated().map { index, item in
                    let ((stored, line), movement) = item
                    var record = try stored.record.moved(by: movement.quantity)
                    var all = [movement]
                    if move.kind == .sale {
                        let day = source.now().day
                        let freed = try record.take(line.count, of: stored.record, for: move.customer, on: day)
                        if freed > 0 {
                            var release = source.movement(lines.count + index + 1, of: record.sku, .release, -freed)
                            release.reason = move.customer.map { "sold to \($0)" }
                            all.append(release)
                        }
                    }
                    return .change(stored, to: record, all)
                }
            }
        } catch let error as InvalidValue {
            throw UsageError("the discount: \(error.reason)", command: .sell)
        }
        return zip(records, movements).map { stored, movement in
            Moved(record: stored.record, movement: movement, sentence: movement.sentence(about: stored.record))
        }
    }

    /// Changes records, and names the SKU that is missing. Tells how to repeat a change whose outcome is unknown.
    func changed(
        _ skus: [SKU], _ known: [StoredRecord]?, _ plan: ([StoredRecord]) async throws -> [RecordChange]
    ) async throws -> [StoredRecord] {
        do {
            return try await stock.change(skus, known: known, plan)
        } catch InventoryError.notFound, InventoryError.noShop {
            // The server does not say which record is missing.
            for sku in skus { _ = try await found(sku) { try await stock.fetch(sku) } }
            throw InventoryError.notFound
        } catch let error as InventoryError {
            guard case .unanswered(let cause, _) = error, let command = stock.source.command else { throw error }
            if case .store = place { throw error }
            let failure = try CommandFailure(.unanswered(cause, skus[0]))
            throw CommandFailure(
                failure.exitCode,
                failure.message
                    + " With `--id \(command)` the same command is made once, however often you type it.")
        }
    }

    private static func movements(
        of move: Command.Move, _ current: [StoredRecord], _ lines: [Line], _ source: MovementSource,
        _ sold: [String: Movement]
    ) throws -> [Movement] {
        var movements: [Movement] = []
        for (index, line) in lines.enumerated() {
            let record = current[index].record
            let isOut = move.kind == .sale || move.kind == .writeOff
            var movement = source.movement(index + 1, of: record.sku, move.kind, isOut ? -line.count : line.count)
            movement.payment = move.payment
            movement.cost = record.cost
            if let sale = sold[record.sku.text] {
                movement.take(sale, count: line.count)
            } else if let price = line.price {
                do throws(InvalidValue) {
                    movement.price = try Money(price, in: record.price.currency)
                } catch {
                    throw UsageError("--price \"\(price.shown)\" of \(record.sku.text): \(error.reason)")
                }
            } else if move.kind == .sale || move.kind == .return {
                movement.price = record.price
            }
            movements.append(movement)
        }
        if let discount = move.discount {
            let amounts = zip(movements, lines).map { movement, line -> Money in
                let price = movement.price ?? Money(amount: 0, currency: current[0].record.price.currency)
                let (amount, overflow) = price.amount.multipliedReportingOverflow(by: Int64(line.count))
                return Money(amount: overflow ? .max : amount, currency: price.currency)
            }
            for (index, part) in try discount.parts(of: amounts).enumerated() where part > 0 {
                movements[index].discount = part
            }
        }
        return movements
    }

    /// Returns the movements of a sale by SKU, which are to come back. Throws if more comes back than was sold.
    private func copies(of sale: String, _ lines: [Line]) async throws -> [String: Movement] {
        let sold = try await movements(named: sale).filter { $0.kind == .sale }
        guard !sold.isEmpty else {
            throw CommandFailure(.notFound, "there is no sale \(sale); `history` lists the sales with their ids")
        }
        var bySKU: [String: Movement] = [:]
        for line in lines {
            let sku = line.stored.record.sku
            guard let movement = sold.first(where: { $0.sku == sku }) else {
                throw CommandFailure(.notFound, "the sale \(sale) has no copy of \(sku.text)")
            }
            let back = try await stock.movements(undoing: [movement.id]).map(\.quantity).reduce(0, +)
            guard line.count + back <= -movement.quantity else {
                throw CommandFailure(
                    .conflict,
                    "the sale \(sale) had \(-movement.quantity) of \(sku.text), of which \(back) came back already; "
                        + "nothing was changed")
            }
            bySKU[sku.text] = movement
        }
        return bySKU
    }

    /// Returns the record with a scanned barcode. Of several, a sale takes the only one in stock.
    private func scanned(_ code: SKU, isSale: Bool, after lines: [Line]) async throws -> StoredRecord {
        let missing = CommandFailure(.notFound, "there is no record \(code.text)")
        let barcode: Barcode
        do throws(InvalidValue) {
            barcode = try Barcode(code.text)
        } catch {
            // Only a string of digits can have been scanned.
            let isScanned = code.text.utf8.allSatisfy(\.isDigit) && code.text.utf8.count >= 8
            throw isScanned
                ? CommandFailure(.notFound, "\(missing.message), and as a barcode it is wrong: \(error.reason)")
                : missing
        }
        var copies: [StoredRecord] = []
        _ = try await eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
            copies += page
            return true
        }
        guard let first = copies.first else {
            throw CommandFailure(.notFound, "there is no record with the SKU or the barcode \(code.text)")
        }
        if copies.count == 1 { return first }
        let inStock = copies.filter { stored in
            stored.record.quantity > lines.first { $0.stored.record.sku == stored.record.sku }?.count ?? 0
        }
        // A draft is taken only if nothing else can be.
        let offered = inStock.filter { $0.record.status != .draft }
        let wanted = offered.isEmpty ? inStock : offered
        if isSale, wanted.count == 1 { return wanted[0] }
        try printRecords(copies.map(\.record))
        throw CommandFailure(
            .conflict,
            "\(copies.count) records have the barcode \(barcode.ean13); nothing was changed, name the SKU of one")
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

    /// The record as on its sleeve: `LP-1, Miles Davis: Kind of Blue, VG+/VG`.
    fileprivate var name: String {
        ["\(sku.text), \(artist): \(title)", conditions].filter { !$0.isEmpty }.joined(separator: ", ")
            .escapedForTerminal
    }

    /// The grades of the medium and of the sleeve, as far as known: `VG+/VG`.
    var conditions: String {
        [mediaCondition?.rawValue, sleeveCondition?.rawValue].compactMap(\.self).joined(separator: "/")
    }

    /// Checks that the copies can be sold, and removes them from the customer's reservations. Returns how many of them
    /// were reserved.
    ///
    /// - Parameter old: the record before the sale.
    fileprivate mutating func take(
        _ count: Int, of old: Record, for customer: String?, on day: CalendarDay
    ) throws(CommandFailure) -> Int {
        var freed = 0
        if let customer {
            for index in reservations.indices where reservations[index].name == customer {
                let part = min(count - freed, reservations[index].quantity)
                reservations[index].quantity -= part
                freed += part
            }
            guard freed > 0 else {
                throw CommandFailure(
                    .conflict, "no copy of \(sku.text) is reserved for \(customer); nothing was changed")
            }
            reservations.removeAll { $0.quantity == 0 }
        }
        let reserved = reserved(on: day)
        guard quantity >= reserved else {
            let names = Set(reservations.map(\.name)).sorted().joined(separator: ", ")
            throw CommandFailure(
                .conflict,
                "there are not enough copies of \(sku.text): \(old.quantity) in stock, of which \(reserved) are reserved "
                    + "for \(names), \(count) wanted; sell a reserved copy with --for NAME, or `release` it")
        }
        return freed
    }
}

extension Movement {
    /// Takes the price and the discount of a sale that comes back, in part or as a whole.
    fileprivate mutating func take(_ sale: Movement, count: Int) {
        price = sale.price
        cost = sale.cost
        payment = payment ?? sale.payment
        undoes = sale.id
        if let discount = sale.discount, sale.quantity != 0 {
            self.discount = Int64(Int128(discount) * Int128(count) / Int128(sale.quantity.magnitude))
        }
    }

    /// What happened: `Restocked 2 of LP-1; 3 in stock.` A sale names the record too: the copy on the counter may be
    /// another one.
    ///
    /// - Parameter record: the record after the movement.
    func sentence(about record: Record) -> String {
        let (count, left) = (quantity.magnitude, record.quantity)
        let price = paid.map { $0.amount < 0 ? Money(amount: -$0.amount, currency: $0.currency) : $0 }
        let amount = price.map { " for \($0.decimalText) \($0.currency.code)" } ?? ""
        return switch kind {
        case .sale: "Sold \(count) of \(record.name)\(amount.isEmpty ? "" : ",")\(amount); \(left) left."
        case .return: "Took back \(count) of \(sku.text)\(amount); \(left) in stock."
        case .restock: "Restocked \(count) of \(sku.text); \(left) in stock."
        case .tradeIn: "Bought \(count) of \(sku.text)\(amount); \(left) in stock."
        case .writeOff: "Wrote off \(count) of \(sku.text); \(left) left."
        default: "\(kind.title): \(quantity) of \(sku.text); \(left) in stock."
        }
    }
}
