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
            return changes.entering(movements, after: look.returns)
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

    /// Notes what is added to the cash in each currency, or subtracted, so that it can be paid.
    private func round(_ movements: inout [Movement], _ shop: ShopSettings) throws {
        func isCash(_ movement: Movement) -> Bool {
            movement.payment == PaymentKinds.cash && movement.payments == nil
        }
        for total in try movements.filter(isCash).total() {
            let own = movements.indices.filter {
                isCash(movements[$0]) && movements[$0].price?.currency == total.currency
            }
            let rounding = shop.rounding(of: total)
            guard rounding != 0, let place = own.first(where: { movements[$0].kind == .sale }) ?? own.first else {
                continue
            }
            movements[place].rounding = rounding
        }
    }

    /// Gives back what a sale in parts brought in the same proportions. The last return gets the rest, so that all of
    /// them add up to the parts of the sale.
    private func divideReturn(_ movements: inout [Movement], _ index: Int, _ look: StockSnapshot) throws {
        let movement = movements[index]
        guard let sale = look.sales.first(where: { $0.id == movement.undoes }), let command = sale.command,
            let paid = movement.paid
        else { return }
        let sales = look.sales.filter { $0.command == command }
        guard let place = sales.first(where: { $0.payments?.isEmpty == false }), let payments = place.payments else {
            return
        }
        let ids = Set(sales.map(\.id))
        let earlier = (look.returns + movements[..<index]).filter { ids.contains($0.undoes ?? "") }
        let total = try sales.total().first?.amount ?? 0
        let before = 0 - (try earlier.total().first?.amount ?? 0)
        let after = before - paid.amount
        // Without the rounding of the sale, the parts are in proportion to its prices.
        var weights = payments.map(\.amount)
        weights[weights.count - 1] -= place.rounding ?? 0
        let sum = weights.reduce(0, +)
        guard total > 0, sum > 0, weights.allSatisfy({ $0 >= 0 }) else { return }
        // The sale may also have bought copies, or taken some back. So its parts may be less than what it sold.
        func given(_ weight: Int64, _ amount: Int64) -> Int64 { Int64(Int128(weight) * Int128(amount) / Int128(sum)) }
        var parts = zip(payments, weights).map { part, weight in
            Movement.Payment(kind: part.kind, amount: given(weight, before) - given(weight, after))
        }
        let last = parts.count - 1
        let rest = paid.amount - parts.dropLast().map(\.amount).reduce(0, +)
        parts[last] = Movement.Payment(kind: parts[last].kind, amount: rest)
        if after == total, sum == total, earlier.allSatisfy({ $0.payments?.isEmpty == false }) {
            // All of it is back, so each kind gives what it has left, also of the cash that was rounded.
            let given = earlier.flatMap { $0.payments ?? [] }
            parts = payments.map { part in
                let back = given.filter { $0.kind == part.kind }.map(\.amount).reduce(0, &+)
                return Movement.Payment(kind: part.kind, amount: 0 &- part.amount &- back)
            }
            let rounding = parts.map(\.amount).reduce(0, &+) &- paid.amount
            if rounding != 0 { movements[index].rounding = rounding }
        } else if let cash = parts.firstIndex(where: { $0.kind == PaymentKinds.cash }) {
            let amount = Money(amount: parts[cash].amount, currency: paid.currency)
            let rounding = look.shop.rounding(of: amount)
            parts[cash] = Movement.Payment(kind: parts[cash].kind, amount: amount.amount + rounding)
            if rounding != 0 { movements[index].rounding = rounding }
        }
        movements[index].payment = parts[0].kind
        movements[index].payments = parts
    }

    /// Notes the parts of the payment. The last one is what the others leave of the total, rounded if it is cash.
    private func divide(_ movements: inout [Movement], _ shop: ShopSettings) throws {
        guard let first = firstPayments.first, let payment,
            let place = movements.firstIndex(where: { $0.kind == .sale })
                ?? movements.firstIndex(where: { $0.kind == .voucher })
        else { return }
        let total = try movements.total()
        guard total.count == 1, var rest = total.first else {
            throw UsageError("the prices have several currencies, so they are not paid in parts; sell them one by one")
        }
        var payments: [Movement.Payment] = []
        for part in firstPayments {
            let amount = try part.amount.parsed(as: part.kind) { text throws(InvalidValue) in
                let amount = try Money(typed: text, in: rest.currency)
                guard part.kind != PaymentKinds.cash || shop.rounding(of: amount) == 0 else {
                    throw InvalidValue("the smallest coin is \(shop.smallestCoin ?? "")")
                }
                return amount.amount
            }
            guard 0 < amount, amount < rest.amount else {
                throw CommandFailure(
                    .usage,
                    "nothing was sold: \(part.kind) \(part.amount) is no part of a payment of which \(rest.text) is left"
                )
            }
            payments.append(Movement.Payment(kind: part.kind, amount: amount))
            rest.amount -= amount
        }
        let rounding = payment == PaymentKinds.cash ? shop.rounding(of: rest) : 0
        if rounding != 0 { movements[place].rounding = rounding }
        try rest.add(rounding)
        movements[place].payments = payments + [Movement.Payment(kind: payment, amount: rest.amount)]
        for index in movements.indices {
            movements[index].payment = first.kind
            if index != place { movements[index].payments = [] }
        }
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

extension Record {
    /// Throws if the record is a draft, which is not for sale yet.
    func checkOffered() throws(CommandFailure) {
        guard status == .draft else { return }
        throw CommandFailure(
            .conflict,
            "\(name), is a draft, so nothing was sold; offer it with `edit \(sku.text) --status "
                + "for_sale`, or sell it with --force")
    }

    /// Throws if copies were taken that are reserved.
    ///
    /// - Parameter old: The record before.
    fileprivate func checkReserved(before old: Record, _ day: CalendarDay) throws(CommandFailure) {
        let reserved = reserved(on: day)
        guard quantity < reserved else { return }
        throw CommandFailure(
            .conflict,
            "nothing was written off: of \(old.quantity.counted("copy", "copies")) of \(sku.text), \(reserved) "
                + "\(reserved == 1 ? "is" : "are") reserved for \(customers(on: day)); `release` them, or give --force")
    }

    /// Takes the average cost of the copies in stock and of those that were bought. Copies of unknown cost do not
    /// count.
    ///
    /// - Parameters:
    ///   - price: What one of them cost.
    ///   - old: The record before it was bought.
    fileprivate mutating func takeCost(_ price: Int64, of count: Int, before old: Record) throws(InvalidValue) {
        guard let known = old.cost, old.quantity > 0 else {
            cost = price
            return
        }
        let copies = Int128(old.quantity) + Int128(count)
        let sum = Int128(known) * Int128(old.quantity) + Int128(price) * Int128(count)
        guard let average = Int64(exactly: (2 * sum + copies) / (2 * copies)) else { throw .tooLarge }
        cost = average
    }

    /// Checks that the copies can be sold, and makes those available that are reserved for the customer. Returns the
    /// movements of this.
    ///
    /// - Parameters:
    ///   - isRequired: Whether one of the copies has to be reserved for the customer.
    ///   - old: The record before the sale.
    ///   - number: The number of the movement before.
    fileprivate mutating func releases(
        for customer: String?, isRequired: Bool, of old: Record, _ count: Int, _ source: MovementSource,
        after number: Int
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
            guard !releases.isEmpty || !isRequired else {
                throw CommandFailure(
                    .conflict, "no copy of \(sku.text) is reserved for \(customer); nothing was changed")
            }
            for release in releases { reserve(by: release) }
        }
        let day = source.now().day
        let reserved = reserved(on: day)
        guard quantity >= reserved else {
            throw CommandFailure(
                .conflict,
                "there are not enough copies of \(sku.text): \(old.quantity) in stock, of which \(reserved) \(reserved == 1 ? "is" : "are") "
                    + "reserved for \(customers(on: day)), \(count) wanted; sell a reserved copy with --for NAME, or `release` it"
            )
        }
        return releases
    }
}

extension Movement {
    /// Whether the money of a sale in parts is given back as it was paid.
    fileprivate var isReturnInParts: Bool { kind == .return && payments?.isEmpty == true }

    /// Returns how many copies of a sale are not back yet.
    ///
    /// - Parameter returns: What came back, also of other sales.
    func copiesLeft(after returns: [Movement]) -> Int {
        returns.filter { $0.undoes == id }.map(\.quantity).reduce(0 &- quantity, &-)
    }

    /// Takes the price and the discount of a sale that comes back.
    fileprivate mutating func take(_ sale: Movement) {
        price = sale.price
        discount = sale.discount
        cost = sale.cost
        item = sale.item ?? item
        payment = payment ?? sale.payment
        undoes = sale.id
    }

    /// Returns the sale with the part of its discount that belongs to copies that come back. The parts add up to the
    /// whole with the last copy.
    ///
    /// Copies that came back for a price of their own have no discount. They take their part along nevertheless.
    ///
    /// - Parameter returns: What came back before.
    func returning(_ count: Int, after returns: [Movement]) -> Movement {
        var sale = self
        guard var left = discount else { return sale }
        var open = Int128(quantity.magnitude)
        func part(of copies: Int) -> Int64 {
            guard copies > 0, open > 0 else { return 0 }
            return Int64(Int128(left) * min(Int128(copies), open) / open)
        }
        for earlier in returns.inOrder {
            left -= max(0, min(left, earlier.discount ?? part(of: earlier.quantity)))
            open -= Int128(earlier.quantity)
        }
        sale.discount = part(of: count)
        return sale
    }

    /// Returns what the copies cost before the discount.
    fileprivate func amount() throws(InvalidValue) -> Money {
        guard let price else { throw InvalidValue("there is no price") }
        guard let amount = try? price.amount.multiplied(by: Int64(quantity.magnitude)) else { throw .tooLarge }
        return Money(amount: amount, currency: price.currency)
    }
}
