import RecordKit

extension Refund {
    /// Gives the money back, and reports it.
    func make(in context: CommandContext) async throws {
        let movements = try movements(from: context.stock.source)
        if !context.isDryRun {
            try await context.stock.checkLedger(needsLock: false)
            for result in try await context.stock.send(changes(movements), together: true) { _ = try result.get() }
        }
        let given = [movements[0]]
        let text = try given.total().map { Money(amount: abs($0.amount), currency: $0.currency) }
        let kinds = movements[0].payment == nil ? "" : " (\(given.givenBackText))"
        let what =
            sale.sku == .none
            ? "\(record.title.printable)." : "\(sale.sku.text), whose record was deleted. No copy is in stock."
        let rounding = try given.roundingSentence().map { " " + $0 } ?? ""
        try context.report("Gave back \(text.text)\(kinds) for \(move.lines[0].count) of \(what)\(rounding)") {
            if context.printsChanges { try context.print(movements.map { HistoryLine($0) }) }
        }
    }
}
