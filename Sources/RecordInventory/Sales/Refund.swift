/// The return of copies whose record was deleted since their sale, or of what was sold without a record. The customer
/// gets the money back, and no copy enters a stock: the copies are written off at once, also if the SKU is in use
/// again.
struct Refund {
    let move: CopyMove
    let sale: Movement
    /// What was read of the sale, and of what came back of it before.
    let look: StockSnapshot
    /// The record as it was deleted, or what the sale tells of it.
    let record: Record

    private var returns: [Movement] { look.returns.filter { $0.undoes == sale.id } }

    /// Returns the changes that enter the return, and the copies that are written off. The first one takes a version
    /// that only one refund of this state of the sale can take, so that two tills give the money back once.
    func changes(from source: MovementSource) throws -> [RecordChange] {
        var part = CopyMove.Part(
            stored: StoredRecord(record: record, version: Version(0)), kind: .return, count: move.lines[0].count)
        part.sale = sale.returning(part.count, after: returns)
        var movements = try move.movements(of: [part], source, look.shop)
        if movements[0].isReturnInParts { try move.divideReturn(&movements, 0, look) }
        if sale.sku != .none {
            var writeOff = source.movement(2, of: sale.sku, .writeOff, -part.count)
            writeOff.reason = "its record was deleted"
            movements.append(writeOff)
        }
        let version = look.version(of: sale.id)
        return movements.enumerated().map { RecordChange.enter($1, at: $0 == 0 ? version : nil) }
    }
}

extension CopyMove {
    /// Returns the refund, if the record of the sale that was named was deleted since, or if there was none.
    ///
    /// - Throws: ``CommandFailure`` if more comes back than was sold.
    func refund(_ look: StockSnapshot) throws -> Refund? {
        guard let name = sale, let line = lines.first,
            let sale = look.sales.first(where: {
                $0.isItem(line.code.text) || $0.sku == line.code && look.deletions.wasDeleted(after: $0)
            })
        else { return nil }
        let back = look.returns.filter { $0.undoes == sale.id }
        guard line.count <= sale.copiesLeft(after: back) else {
            throw CommandFailure(
                .conflict,
                "the sale \(name) had \(-sale.quantity) of \(line.code.text), of which \(-sale.quantity - sale.copiesLeft(after: back)) "
                    + "came back already; nothing was changed")
        }
        let deletion = look.deletions.last { $0.sku == sale.sku && $0.kind == .deletion && $0.changes != nil }
        var record = deletion?.deletedRecord ?? Record(soldBy: sale)
        record.sku = sale.sku
        if let price = sale.price { record.price = price }
        return Refund(move: try checkingPayment(look), sale: sale, look: look, record: record)
    }

    /// Returns the move with a kind of payment that the shop takes.
    func checkingPayment(_ look: StockSnapshot) throws(UsageError) -> CopyMove {
        var move = self
        let kinds = look.shop.kinds
        move.payment = try payment.map { kind throws(UsageError) in try kinds.checked(kind) }
        for index in firstPayments.indices {
            move.firstPayments[index].kind = try kinds.checked(firstPayments[index].kind)
        }
        return move
    }
}
