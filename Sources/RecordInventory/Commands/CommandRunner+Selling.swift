// Copies that come in or go out.
extension CommandRunner {
    func move(_ move: Command.Move) async throws {
        let copies = move.codes.count * move.count
        try await makeOnce(move.id, move.kind, move.codes, copies: copies, reason: move.reason) { runner in
            let records = try await runner.moved(move, runner.lines(of: move), ifUnknown: runner.repetition)
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
        /// The price of one copy, in place of the record's.
        var price: Money?
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
                lines.append(
                    Line(stored: stored, count: move.count, price: try Self.price(move.price, of: stored.record)))
            }
        }
        return lines
    }

    private static func price(_ text: String?, of record: Record) throws -> Money? {
        guard let text else { return nil }
        do throws(InvalidValue) {
            return try Money(text, in: record.price.currency)
        } catch {
            throw UsageError("--price \"\(text.shown)\" of \(record.sku.text): \(error.reason)")
        }
    }

    /// Returns the record with a SKU or a scanned barcode.
    ///
    /// - Parameter lines: the copies that are taken already.
    func record(for code: SKU, isSale: Bool, after lines: [Line] = []) async throws -> StoredRecord {
        if let known = lines.first(where: { $0.stored.record.sku == code }) { return known.stored }
        let copies = try await records(for: code)
        return copies.count == 1 ? copies[0] : try one(of: copies, with: code, isSale: isSale, after: lines)
    }

    /// Makes the movements of all lines, or none.
    ///
    /// - Parameter advice: what to do if the outcome is unknown.
    func moved(_ move: Command.Move, _ lines: [Line], ifUnknown advice: String? = nil) async throws -> [Moved] {
        let source = stock.source.numbered
        var movements: [Movement] = []
        let skus = lines.map(\.stored.record.sku)
        let records: [StoredRecord]
        do {
            records = try await changed(skus, lines.map(\.stored), ifUnknown: advice) { current in
                let sold = if let sale = move.sale { try await copies(of: sale, lines) } else { [String: Movement]() }
                if move.kind == .sale, !move.sellsDrafts { for stored in current { try stored.record.checkOffered() } }
                movements = try Self.movements(of: move, current, lines, source, sold)
                var number = lines.count
                return try zip(current, movements).map { stored, movement in
                    var record = try stored.record.moved(by: movement.quantity)
                    guard move.kind == .sale else { return .change(stored, to: record, [movement]) }
                    let releases = try record.releases(
                        for: move.customer, of: stored.record, -movement.quantity, source, after: number)
                    number += releases.count
                    return .change(stored, to: record, [movement] + releases)
                }
            }
        } catch let error as InvalidValue {
            throw UsageError("the discount: \(error.reason)", command: .sell)
        }
        return zip(records, movements).map { stored, movement in
            Moved(record: stored.record, movement: movement, sentence: movement.sentence(about: stored.record))
        }
    }

    /// Changes records, and names the SKU that is missing.
    ///
    /// - Parameter advice: what to do if the outcome is unknown. Without it, the error names the first SKU.
    func changed(
        _ skus: [SKU], _ known: [StoredRecord]?, ifUnknown advice: String? = nil,
        _ plan: ([StoredRecord]) async throws -> [RecordChange]
    ) async throws -> [StoredRecord] {
        do {
            return try await stock.change(skus, known: known, plan)
        } catch let error as TooManyLines {
            throw CommandFailure(.failed, "\(error)")
        } catch InventoryError.notFound, InventoryError.noShop {
            // The server does not say which record is missing.
            for sku in skus { _ = try await found(sku) { try await stock.fetch(sku) } }
            throw InventoryError.notFound
        } catch let error as InventoryError {
            guard case .unanswered(let cause, _) = error else { throw error }
            let named = InventoryError.unanswered(cause, skus[0])
            guard let advice, case .server = place else { throw named }
            let failure = try CommandFailure(named)
            throw CommandFailure(failure.exitCode, "\(failure.message) \(advice)")
        }
    }

    /// How to repeat a command that has the option `--id`.
    var repetition: String? {
        stock.source.command.map { "With `--id \($0)` the same command is made once, however often you type it." }
    }

    /// Returns the movement of each line.
    ///
    /// - Parameters:
    ///   - current: the records as they are now.
    ///   - sold: the movements of a sale that come back, by SKU.
    static func movements(
        of move: Command.Move, _ current: [StoredRecord], _ lines: [Line], _ source: MovementSource,
        _ sold: [String: Movement] = [:]
    ) throws -> [Movement] {
        var movements: [Movement] = []
        for (index, line) in lines.enumerated() {
            let record = current[index].record
            let isOut = move.kind == .sale || move.kind == .writeOff
            var movement = source.movement(index + 1, of: record.sku, move.kind, isOut ? -line.count : line.count)
            movement.payment = move.payment
            movement.cost = record.cost
            if let sale = sold[record.sku.text] {
                movement.take(sale)
            } else if let price = line.price {
                guard price.currency == record.price.currency else {
                    throw CommandFailure(
                        .conflict,
                        "\(record.sku.text) was changed from \(price.currency.code) to \(record.price.currency.code) "
                            + "meanwhile; nothing was changed, begin again")
                }
                movement.price = price
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

    /// Returns the movements of a sale by SKU, with the discount of the copies that come back now. Throws if more comes
    /// back than was sold.
    private func copies(of sale: String, _ lines: [Line]) async throws -> [String: Movement] {
        // A return that was taken back is no sale of its own.
        let sold = try await movements(named: sale).filter { $0.kind == .sale && $0.undoes == nil }
        guard !sold.isEmpty else {
            throw CommandFailure(.notFound, "there is no sale \(sale); `history` lists the sales with their ids")
        }
        var bySKU: [String: Movement] = [:]
        for line in lines {
            let sku = line.stored.record.sku
            guard var movement = sold.first(where: { $0.sku == sku }) else {
                throw CommandFailure(.notFound, "the sale \(sale) has no copy of \(sku.text)")
            }
            let returns = try await stock.movements(undoing: [movement.id])
            let back = returns.map(\.quantity).reduce(0, +)
            guard line.count + back <= -movement.quantity else {
                throw CommandFailure(
                    .conflict,
                    "the sale \(sale) had \(-movement.quantity) of \(sku.text), of which \(back) came back already; "
                        + "nothing was changed")
            }
            movement.discount = movement.discount(of: line.count, after: returns)
            bySKU[sku.text] = movement
        }
        return bySKU
    }

    /// Returns the only record in stock of several with a barcode, if it is for a sale.
    private func one(
        of copies: [StoredRecord], with code: SKU, isSale: Bool, after lines: [Line]
    ) throws -> StoredRecord {
        let barcode = try Barcode(code.text)
        let inStock = copies.filter { stored in
            stored.record.quantity > lines.first { $0.stored.record.sku == stored.record.sku }?.count ?? 0
        }
        // A draft is taken only if nothing else can be.
        let offered = inStock.filter { $0.record.status != .draft }
        let wanted = offered.isEmpty ? inStock : offered
        if isSale, wanted.count == 1 { return wanted[0] }
        throw AmbiguousBarcode(barcode: barcode, records: copies.map(\.record))
    }
}

/// A scanned barcode that several records have, each of which may be meant.
struct AmbiguousBarcode: Error {
    let barcode: Barcode
    let records: [Record]

    var failure: CommandFailure {
        CommandFailure(
            .conflict,
            "\(records.count) records have the barcode \(barcode.ean13); nothing was changed, name the SKU of one")
    }
}

extension CommandRunner {
    /// Returns why a scanned line failed, for a loop that goes on with the next line. Throws errors that end the loop.
    func failure(ofLine error: any Error) throws -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let error as InventoryError: return try CommandFailure(error)
        case let error as StockShortage: return CommandFailure(.conflict, "\(error)")
        case let error as UsageError: return CommandFailure(.usage, error.message)
        case let error as AmbiguousBarcode:
            // The results of the loop are no list of records.
            let names = error.records.map { "\n  \($0.name), \($0.quantity) in stock" }.joined()
            return CommandFailure(error.failure.exitCode, error.failure.message + names)
        default: throw error
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

    /// The record as on its sleeve: `LP-1, Miles Davis: Kind of Blue, VG+/VG`.
    var name: String {
        ["\(sku.text), \(artist): \(title)", conditions].filter { !$0.isEmpty }.joined(separator: ", ")
            .escapedForTerminal
    }

    /// The grades of the medium and of the sleeve, as far as known: `VG+/VG`.
    var conditions: String {
        [mediaCondition?.rawValue, sleeveCondition?.rawValue].compactMap(\.self).joined(separator: "/")
    }

    /// Checks that the copies can be sold, and makes those available that are reserved for the customer. Returns the
    /// movements of this.
    ///
    /// - Parameters:
    ///   - old: the record before the sale.
    ///   - number: the number of the movement before.
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

    /// Returns the part of a sale's discount that belongs to copies that come back. The parts add up to the whole with the
    /// last copy.
    fileprivate func discount(of count: Int, after returns: [Movement]) -> Int64? {
        guard let discount, quantity != 0 else { return nil }
        let back = returns.map(\.quantity).reduce(count, +)
        let due = Int64(Int128(discount) * Int128(back) / Int128(quantity.magnitude))
        return max(0, due - returns.compactMap(\.discount).reduce(0, +))
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
