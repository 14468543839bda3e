// Reading and checking the ledger.
extension CommandRunner {
    func history(_ history: Command.History) async throws {
        var listing = MovementListing(history, on: console, asJSON: printsJSON)
        if let id = history.id {
            let movements = try await self.movements(named: id)
            if movements.isEmpty { throw CommandFailure(.notFound, "\(id) was not made: no movement has this id") }
            try listing.sort(movements)
        } else {
            var filter = MovementFilter(times: history.days.map(Self.times))
            if let code = history.sku { filter.sku = try await ledgerSKU(code) }
            let progress = ProgressBar("Reading", on: console)
            defer { progress.finish() }
            var count = 0
            try await stock.eachMovementPage(filter) { page in
                try listing.sort(page.movements)
                count += page.movements.count
                progress.update(count, fraction: nil)
                return true
            }
        }
        try listing.print()
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
        var printer = RowPrinter(on: console, asJSON: printsJSON, table: Movement.table)
        for movement in movements { try printer.print(printer.text(of: movement)) }
        try printer.finish()
    }

    /// Compares the records with their movements, and enters what is missing.
    func doctor() async throws -> ExitCode {
        let progress = ProgressBar("Checking", on: console)
        defer { progress.finish() }
        do {
            try await stock.eachPage(RecordFilter(pageSize: 1)) { _ in false }
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, "nothing can be checked: \(noShop)")
        }
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
            let corrections = differences.count.counted("correction")
            console.note("Nothing was written. Without --dry-run \(corrections) would be entered.")
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
            "\(count.counted("correction")) entered, so that every quantity is the sum of its movements.")
        return .done
    }
}
