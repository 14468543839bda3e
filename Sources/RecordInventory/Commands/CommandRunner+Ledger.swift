// Reading and checking the ledger.
extension CommandRunner {
    func history(_ history: Command.History) async throws {
        var movements: [Movement]
        if let id = history.id {
            movements = try await self.movements(named: id)
            if movements.isEmpty { throw CommandFailure(.notFound, "\(id) was not made: no movement has this id") }
        } else {
            var filter = MovementFilter(times: history.days.map(Self.times))
            if let code = history.sku { filter.sku = try await ledgerSKU(code) }
            movements = try await stock.movements(filter)
        }
        if let days = history.days { movements.removeAll { !days.contains($0.time.day) } }
        if let limit = history.limit { movements = movements.suffix(limit) }
        try printMovements(movements)
        if movements.isEmpty { console.note("There are no such movements.") }
    }

    /// Returns the SKU of a code, whose record may have been deleted.
    private func ledgerSKU(_ code: SKU) async throws -> SKU {
        do {
            return try await record(for: code, isSale: false).record.sku
        } catch let failure as CommandFailure where failure.exitCode == .notFound {
            let found = try await stock.movements(MovementFilter(sku: code, pageSize: 1))
            if found.isEmpty { throw failure }
            return code
        } catch InventoryError.unreadable {
            return code
        }
    }

    /// The times of days, with a day more on both sides: the tills may be in several zones.
    static func times(_ days: ClosedRange<CalendarDay>) -> Range<Int64> {
        let day: Int64 = 86_400_000
        return (Int64(days.lowerBound.number) - 1) * day..<(Int64(days.upperBound.number) + 2) * day
    }

    /// Prints a table on a terminal, tab-separated lines elsewhere, or an array with `--json`.
    func printMovements(_ movements: [Movement]) throws {
        if printsJSON {
            let rows = movements.map { movement -> JSONValue in
                .object(
                    JSONObject(
                        [JSONObject.Member(name: "id", value: .string(movement.id))]
                            + (movement.json.object?.members ?? [])))
            }
            return try console.print(json: JSONValue.array(rows).text(pretty: console.results.isTerminal))
        }
        guard console.results.isTerminal else {
            for movement in movements { try console.print(fields: movement.fields) }
            return
        }
        if movements.isEmpty { return }
        var table = Table([
            Table.Column("time", staysWhole: true), Table.Column("movement"),
            Table.Column("copies", isNumeric: true, staysWhole: true), Table.Column("SKU", staysWhole: true),
            Table.Column("paid", isNumeric: true), Table.Column("payment"), Table.Column("till"),
            Table.Column("reason"),
            Table.Column("id"),
        ])
        for movement in movements {
            table.add([
                movement.time.minuteText, movement.kind.title,
                movement.quantity > 0 ? "+\(movement.quantity)" : "\(movement.quantity)", movement.sku.text,
                movement.paid.map { "\($0.decimalText) \($0.currency.code)" }, movement.payment,
                [movement.till, movement.person].compactMap(\.self).joined(separator: ", "),
                [movement.reason, movement.undoes.map { "takes back \($0)" }].compactMap(\.self).joined(
                    separator: "; "),
                movement.id,
            ])
        }
        try console.print(table)
    }

    /// Compares the records with their movements, and enters what is missing.
    func doctor() async throws -> ExitCode {
        let progress = ProgressBar("Checking", on: console)
        defer { progress.finish() }
        let differences = try await stock.differences { progress.update($0, fraction: nil) }
        progress.finish()
        if printsJSON {
            let rows = differences.map { difference -> JSONValue in
                [
                    "sku": .string(difference.sku.text), "quantity": JSONValue(difference.quantity),
                    "movements": JSONValue(difference.sum),
                ]
            }
            try console.print(json: JSONValue.array(rows).text(pretty: console.results.isTerminal))
        }
        for difference in differences.prefix(1_000) {
            let state = difference.quantity.map { "has \($0) in stock" } ?? "was deleted"
            console.note("\(difference.sku.text) \(state), but its movements add up to \(difference.sum).")
        }
        if differences.isEmpty {
            console.note("Every quantity is the sum of its movements.")
            return .done
        }
        if isDryRun {
            console.note(
                "\(differences.count) records differ. Nothing was written; without --dry-run they are corrected.")
            return .failed
        }
        do {
            try await stock.checkLedger()
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, noShop)
        }
        let count = try await stock.mend(
            differences, reason: "corrected by doctor: changed without a movement", isLedgerComplete: true)
        console.note(
            "\(count) correction\(count == 1 ? "" : "s") entered, so that every quantity is the sum of its movements.")
        return .done
    }
}

extension Movement {
    /// The values of a line that a script reads.
    fileprivate var fields: [String?] {
        [
            id, time.text, kind.rawValue, sku.text, String(quantity), price?.decimalText,
            discount.flatMap { amount in price.map { Money(amount: amount, currency: $0.currency).decimalText } },
            price?.currency.code, payment, till, person, reason, undoes, command,
        ]
    }
}
