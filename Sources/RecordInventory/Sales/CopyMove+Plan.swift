extension CopyMove {
    /// Returns the changes of the records with their movements: what `sell`, `return`, `restock`, `trade-in`,
    /// `write-off` and the till do.
    ///
    /// Decides everything, and reads and sends nothing. After a conflict, a new look makes a new plan.
    ///
    /// - Parameters:
    ///   - look: What ``CommandContext/look(for:)`` read.
    ///   - source: Who makes the movements, with the id of the command.
    func plan(_ look: StockSnapshot, _ source: MovementSource) throws -> [RecordChange] {
        do {
            let parts = try parts(look)
            if !isForced { for part in parts where part.kind == .sale { try part.stored.record.checkOffered() } }
            var movements = try movements(of: parts, source, look.shop)
            var number = movements.count
            for index in movements.indices where movements[index].isReturnInParts {
                try divideReturn(&movements, index, look)
            }
            let changes = try parts.records.map { stored in
                var own = movements.filter { $0.sku == stored.record.sku }
                let found = lines.filter { $0.code == stored.record.sku }.map(\.found).reduce(0, +)
                if found > 0 {
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
                    try record.takeCost(price, of: own[index].quantity, before: stored.record)
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
            return changes.entering(movements.filter { $0.sku == .none }, after: look)
        } catch let error as InvalidValue {
            throw UsageError((error == .tooLarge ? "" : "the discount: ") + error.reason, command: "sell")
        }
    }

    /// Copies of a record that have one movement.
    struct Part {
        let stored: StoredRecord
        let kind: Movement.Kind
        var count: Int
        /// The price of one copy, in place of the record's.
        var price: Money?
        /// The sale that the copies come back from, with their part of its discount.
        var sale: Movement?
    }

    /// Finds the records of the lines, and the sales that copies come back from.
    ///
    /// - Throws: ``CommandFailure`` if more comes back than was sold.
    func parts(_ look: StockSnapshot) throws -> [Part] {
        var parts: [Part] = []
        for line in lines {
            let taken = Dictionary(parts.map { ($0.stored.record.sku, $0.count) }, uniquingKeysWith: +)
            // Of several with a barcode, a sale takes the one in stock.
            let stored =
                if let item = line.item {
                    StoredRecord(record: item, version: Version(0))
                } else {
                    try look.record(for: line.code, isSale: kind == .sale, taken: taken)
                }
            var part = Part(
                stored: stored, kind: line.kind ?? kind, count: line.count,
                price: try line.price ?? price(of: stored.record), sale: line.sale)
            if let sale { part.sale = try look.sale(of: stored.record.sku, in: sale) }
            if let same = parts.firstIndex(where: { $0.isLike(part) }) {
                parts[same].count += part.count
            } else {
                parts.append(part)
            }
        }
        return try parts.flatMap { part in
            if let sale = part.sale { return [try part.returned(to: sale, look.returns)] }
            return kind == .return ? try newest(part, look) : [part]
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
                throw CommandFailure(
                    .conflict,
                    "only \(part.count - open) of \(part.stored.record.sku.text) were sold and did not come back, "
                        + "\(part.count) wanted; nothing was changed. To take back what was not sold here, give --force, "
                        + "--price and --reason")
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
    func movements(of parts: [Part], _ source: MovementSource, _ shop: ShopSettings) throws -> [Movement] {
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
                if kind == .return, payment == nil, sale.payments != nil { movement.payments = [] }
            }
            if let price = part.price {
                guard price.currency == record.price.currency else {
                    throw CommandFailure(
                        .conflict,
                        "\(record.sku.text) was changed from \(price.currency.code) to \(record.price.currency.code) "
                            + "meanwhile; nothing was changed, begin again")
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
            let amounts = try sold.map { try movements[$0].amount() }
            for (index, part) in zip(sold, try discount.parts(of: amounts)) where part > 0 {
                movements[index].discount = part
            }
        }
        for movement in movements where !movement.hasSummableAmounts { throw InvalidValue.tooLarge }
        if firstPayments.isEmpty { try round(&movements, shop) } else { try divide(&movements, shop) }
        return movements
    }

    /// Returns what one copy cost that was bought, or put into the stock with `--cost`.
    ///
    /// Takes no whole movement, with which the optimizer of Swift 6.3.1 fails.
    private func cost(of kind: Movement.Kind, at price: Money?, _ record: Record) throws -> Int64? {
        if kind == .tradeIn { return price?.amount }
        guard kind == .restock, let cost else { return nil }
        do throws(InvalidValue) {
            return try Money(typed: cost, in: record.price.currency).amount
        } catch {
            throw UsageError("--cost \"\(cost.shown)\" of \(record.sku.text): \(error.reason)")
        }
    }

    /// Returns the price of one copy that was given for a record.
    private func price(of record: Record) throws -> Money? {
        guard let price else { return nil }
        do throws(InvalidValue) {
            return try Money(typed: price, in: record.price.currency)
        } catch {
            throw UsageError("--price \"\(price.shown)\" of \(record.sku.text): \(error.reason)")
        }
    }
}

extension CopyMove.Part {
    /// Whether the copies have one movement with others.
    fileprivate func isLike(_ other: CopyMove.Part) -> Bool {
        stored.record.sku == other.stored.record.sku && kind == other.kind && sale?.id == other.sale?.id
            && price == other.price && stored.record.title == other.stored.record.title
            && stored.record.genre == other.stored.record.genre
    }

    /// Returns the copies with their part of the discount of their sale.
    ///
    /// - Parameter returns: What came back before.
    fileprivate func returned(to sale: Movement, _ returns: [Movement]) throws(CommandFailure) -> CopyMove.Part {
        let own = returns.filter { $0.undoes == sale.id }
        let back = own.map(\.quantity).reduce(0, +)
        guard count + back <= -sale.quantity else {
            throw CommandFailure(
                .conflict,
                "the sale \((sale.command ?? sale.id).printable) had \(-sale.quantity) of \(stored.record.sku.text), of which \(back) came "
                    + "back already; nothing was changed")
        }
        var part = self
        part.sale = sale.returning(count, after: own)
        return part
    }
}

extension [CopyMove.Part] {
    /// The records, each once. What is sold without one has none.
    fileprivate var records: [StoredRecord] {
        filter { $0.stored.record.sku != .none }.reduce(into: []) { records, part in
            if !records.contains(where: { $0.record.sku == part.stored.record.sku }) { records.append(part.stored) }
        }
    }
}

extension StockSnapshot {
    /// Returns the movements of the sale that was named.
    func sales(named id: String) throws(CommandFailure) -> [Movement] {
        // A return that was taken back is no sale of its own.
        let sales = named.filter { $0.kind == .sale && $0.undoes == nil }
        guard !sales.isEmpty else {
            throw CommandFailure(.notFound, "there is no sale \(id); `history` lists the sales with their ids")
        }
        return sales
    }

    /// Returns the movement of a record in the sale that was read.
    fileprivate func sale(of sku: SKU, in id: String) throws(CommandFailure) -> Movement {
        guard let sale = sales.first(where: { $0.sku == sku }) else {
            throw CommandFailure(.notFound, "the sale \(id) has no copy of \(sku.text)")
        }
        return sale
    }
}

extension Movement {
    /// Returns what the copies cost before the discount.
    fileprivate func amount() throws(InvalidValue) -> Money {
        guard let price else { throw InvalidValue("there is no price") }
        guard let amount = try? price.amount.multiplied(by: Int64(quantity.magnitude)) else { throw .tooLarge }
        return Money(amount: amount, currency: price.currency)
    }
}
