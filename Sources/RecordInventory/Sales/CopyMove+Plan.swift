extension CopyMove {
    /// Returns the changes of the records with their movements: what `sell`, `return`, `restock`, `trade-in`,
    /// `write-off` and the till do.
    ///
    /// Decides everything, and reads and sends nothing. After a conflict, a new look makes a new plan.
    ///
    /// - Parameters:
    ///   - look: What ``CopyCommand/look(for:in:)`` read.
    ///   - source: Who makes the movements, with the id of the command.
    func plan(_ look: StockSnapshot, _ source: MovementSource) throws -> [RecordChange] {
        let parts = try parts(look)
        if !isForced { for part in parts where part.kind == .sale { try part.stored.record.checkOffered() } }
        let movements: [Movement]
        do { movements = try self.movements(of: parts, source, look) } catch let error as InvalidValue {
            throw SaleError.discount(error)
        }
        var number = movements.count
        var found: [SKU: Int] = [:]
        for line in lines where line.found > 0 { found[line.code, default: 0] += line.found }
        var own: [SKU: [Movement]] = [:]
        var entered: [Movement] = []
        for (part, movement) in zip(parts, movements) {
            if part.hasRecord {
                own[movement.sku, default: []].append(movement)
                continue
            }
            entered.append(movement)
            if movement.sku == .none { continue }
            // The copies enter no stock, also if the SKU is in use again.
            number += 1
            var writeOff = source.movement(number, of: movement.sku, .writeOff, -part.count)
            writeOff.reason = "its record was deleted"
            entered.append(writeOff)
        }
        var known: Set<SKU> = []
        let records = parts.filter { $0.hasRecord && known.insert($0.stored.record.sku).inserted }.map(\.stored)
        let changes = try records.map { stored in
            var own = own[stored.record.sku] ?? []
            if let found = found[stored.record.sku] {
                number += 1
                var correction = source.movement(number, of: stored.record.sku, .correction, found)
                correction.reason = "found at the counter"
                correction.changes = []
                own.append(correction)
            }
            var record = try stored.record.moved(by: own.map(\.quantity).reduce(0, +))
            for index in own.indices {
                guard let price = try cost(of: own[index].kind, at: own[index].price, record) else { continue }
                let before = record
                do throws(InvalidValue) {
                    try record.takeCost(price, of: own[index].quantity, before: stored.record)
                } catch {
                    throw SaleError.discount(error)
                }
                own[index].changes = [Movement.Change](from: before, to: record)
            }
            if kind == .writeOff, !isForced { try record.checkReserved(before: stored.record, source.now().day) }
            let sold = own.filter { $0.kind == .sale }.map { -$0.quantity }.reduce(0, +)
            if sold > 0 {
                own += try record.releases(
                    for: customer, isRequired: !sellsUnreserved, of: stored.record, sold, source, after: number)
                number += own.count { $0.kind == .release }
            }
            return RecordChange.change(stored, to: record, own)
        }
        return changes.entering(entered, after: look)
    }

    /// Copies of a record that have one movement.
    struct Part {
        let stored: StoredRecord
        let kind: Movement.Kind
        var count = 1
        /// Whether the stock has the record. It has none for what is sold without one, or was deleted since its sale.
        var hasRecord = true
        /// The price of one copy, in place of the record's.
        var price: Money?
        /// The sale that the copies come back from, with their part of its discount.
        var sale: Movement?
    }

    /// Finds the records of the lines, and the sales that copies come back from.
    ///
    /// - Throws: ``SaleError`` if more comes back than was sold.
    func parts(_ look: StockSnapshot) throws -> [Part] {
        var parts: [Part] = []
        var places: [CopyMove.Likeness: Int] = [:]
        var taken: [SKU: Int] = [:]
        for line in lines {
            let known = look.sales.first { $0.id == line.sale } ?? gone(line, look)
            var part: Part
            if let record = line.recordOutOfStock(known, look) {
                part = Part(stored: StoredRecord(record: record, version: Version(0)), kind: line.kind ?? kind)
                part.hasRecord = false
                part.sale = known
            } else {
                // Of several with a barcode, a sale takes the one in stock.
                let stored = try look.record(for: line.code, isSale: kind == .sale, taken: taken)
                part = Part(stored: stored, kind: line.kind ?? kind, sale: known)
                if let sale { part.sale = try look.sale(of: stored.record.sku, in: sale) }
            }
            part.count = line.count
            part.price = try line.price ?? price.map { try part.stored.record.amount($0, of: "--price") }
            if let same = places[part.likeness] {
                parts[same].count += part.count
            } else {
                places[part.likeness] = parts.count
                parts.append(part)
            }
            taken[part.stored.record.sku, default: 0] += part.count
        }
        return try parts.flatMap { part in
            if let sale = part.sale { return [try part.returned(to: sale, look.returns)] }
            return kind == .return ? try newest(part, look) : [part]
        }
    }

    /// Returns the line of the sale of a return, if it has no record: it was sold without one, or was deleted since.
    private func gone(_ line: CopyLine, _ look: StockSnapshot) -> Movement? {
        guard sale != nil else { return nil }
        return look.sales.first {
            $0.isItem(line.code.text) || $0.sku == line.code && look.deletions.wasDeleted(after: $0)
        }
    }

    /// Divides the copies that come back among the newest sales of the record, of which copies are not back yet.
    private func newest(_ part: Part, _ look: StockSnapshot) throws -> [Part] {
        var parts: [Part] = []
        var open = part.count
        for sale in look.sales where sale.sku == part.stored.record.sku {
            let count = min(open, sale.copiesLeft(after: look.returns))
            if count <= 0 { continue }
            var own = part
            own.count = count
            own.sale = sale.returning(count, after: look.returns.filter { $0.undoes == sale.id })
            parts.append(own)
            open -= count
        }
        if open > 0 {
            guard isForced else {
                throw SaleError.notSold(part.stored.record.sku, found: part.count - open, wanted: part.count)
            }
            var rest = part
            rest.count = open
            parts.append(rest)
        }
        return parts
    }

    /// Returns the movement of each part. A discount is taken off what is sold.
    ///
    /// - Throws: `InvalidValue` if the discount does not suit the prices, or an amount is too large.
    func movements(of parts: [Part], _ source: MovementSource, _ look: StockSnapshot) throws -> [Movement] {
        var movements: [Movement] = []
        for (index, part) in parts.enumerated() {
            let record = part.stored.record
            let isOut = [.sale, .writeOff, .voucher].contains(part.kind)
            var movement = source.movement(index + 1, of: record.sku, part.kind, isOut ? -part.count : part.count)
            movement.payment = payment
            movement.cost = record.cost
            if part.kind == .sale || part.kind == .return { movement.item = Movement.Item(record) }
            if let sale = part.sale {
                movement.take(sale)
                // What comes back within a sale is part of its total.
                if kind == .sale { movement.payment = payment }
            }
            if let price = part.price {
                guard price.currency == record.price.currency else {
                    throw SaleError.otherCurrency(record.sku, price.currency, record.price.currency)
                }
                movement.price = price
                movement.discount = nil
            } else if part.sale == nil, part.kind == .sale || part.kind == .return {
                movement.price = record.price
            }
            movements.append(movement)
        }
        if let discount {
            let sold = movements.indices.filter { movements[$0].kind == .sale }
            let amounts = sold.compactMap { movements[$0].paid }
            guard amounts.count == sold.count else { throw InvalidValue.tooLarge }
            for (index, part) in zip(sold, try discount.parts(of: amounts)) where part > 0 {
                movements[index].discount = part
            }
        }
        for movement in movements where !movement.hasSummableAmounts { throw InvalidValue.tooLarge }
        try pay(&movements, look)
        return movements
    }

    /// Returns what one copy cost that was bought, or put into the stock with `--cost`.
    ///
    /// Takes no whole movement, with which the optimizer of Swift 6.3.1 fails.
    private func cost(of kind: Movement.Kind, at price: Money?, _ record: Record) throws -> Int64? {
        if kind == .tradeIn { return price?.amount }
        return kind == .restock ? try cost.map { try record.amount($0, of: "--cost").amount } : nil
    }
}

extension Record {
    /// Parses the value of an option in the currency of the record.
    fileprivate func amount(_ text: String, of option: String) throws(SaleError) -> Money {
        do throws(InvalidValue) { return try Money(typed: text, in: price.currency) } catch {
            throw .option(option, text, sku, error)
        }
    }
}

extension CopyMove.Part {
    fileprivate var likeness: CopyMove.Likeness {
        CopyMove.Likeness(
            sku: stored.record.sku, item: hasRecord ? nil : stored.record, kind: kind, sale: sale?.id, price: price)
    }

    /// Returns the copies with their part of the discount of their sale.
    ///
    /// - Parameter returns: What came back before.
    fileprivate func returned(to sale: Movement, _ returns: [Movement]) throws(SaleError) -> CopyMove.Part {
        let own = returns.filter { $0.undoes == sale.id }
        let back = own.map(\.quantity).reduce(0, +)
        guard count + back <= -sale.quantity else {
            let name = sale.sku == .none ? stored.record.title : stored.record.sku.text
            throw .alreadyBack(sale.command ?? sale.id, name, sold: -sale.quantity, back: back)
        }
        var part = self
        part.sale = sale.returning(count, after: own)
        return part
    }
}

extension StockSnapshot {
    /// Returns the movements of the sale that was named.
    func sales(named id: String) throws(SaleError) -> [Movement] {
        // A return that was taken back is no sale of its own.
        let sales = named.filter { $0.kind == .sale && $0.undoes == nil }
        if sales.isEmpty { throw .noSale(id) }
        return sales
    }

    /// Returns the movement of a record in the sale that was read.
    fileprivate func sale(of sku: SKU, in id: String) throws(SaleError) -> Movement {
        guard let sale = sales.first(where: { $0.sku == sku }) else { throw .notInSale(sku, id) }
        return sale
    }

    /// Returns the record as it was deleted, or what its sale notes of it.
    func deletedRecord(soldBy sale: Movement) -> Record {
        let deletion = deletions.last { $0.sku == sale.sku && $0.kind == .deletion && $0.changes != nil }
        var record = deletion?.deletedRecord ?? Record(soldBy: sale)
        record.sku = sale.sku
        if let price = sale.price { record.price = price }
        return record
    }
}
