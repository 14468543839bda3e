// Reading and checking the ledger.
extension CommandRunner {
    func history(_ history: Command.History) async throws -> ExitCode {
        var listing = MovementListing(history, on: console, asJSON: printsJSON)
        var filter = MovementFilter(command: history.id)
        if history.id == nil { filter.times = history.days?.times }
        if let code = history.sku { filter.sku = try await ledgerSKU(code) }
        let progress = ProgressBar("Reading", on: console)
        defer { progress.finish() }
        var (count, unreadable) = (0, 0)
        for filter in filter.filters(latest: history.limit) {
            var times: [Int64] = []
            unreadable += try await eachMovementPage(filter) { movements in
                try listing.sort(movements)
                count += movements.count
                progress.update(count, fraction: nil)
                guard let limit = history.limit, filter.isLatestFirst else { return true }
                let wanted = movements.lazy.filter { history.days?.contains($0.time.day) ?? true }
                times += wanted.prefix(max(0, limit - times.count)).map(\.time.milliseconds)
                // Movements of the same time are sorted by their ids.
                return times.count < limit || movements.last?.time.milliseconds == times.last
            }
        }
        if let id = history.id, count + unreadable == 0 {
            guard let movement = try await stock.movement(id) else {
                throw CommandFailure(.notFound, "\(id) was not made: no movement has this id")
            }
            try listing.sort([movement])
        }
        try listing.print()
        return unreadable == 0 ? .done : .partlyDone
    }

    /// Returns the SKU of a code, whose record may have been deleted.
    private func ledgerSKU(_ code: SKU) async throws -> SKU {
        do {
            return try await record(for: code, isSale: false).record.sku
        } catch let failure as CommandFailure where failure.exitCode == .notFound {
            var isKnown = false
            try await stock.eachMovementPage(MovementFilter(sku: code, pageSize: 1)) { page in
                isKnown = !page.movements.isEmpty || !page.unreadable.isEmpty
                return false
            }
            if !isKnown { throw failure }
            return code
        } catch InventoryError.unreadable {
            return code
        }
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
        if case .store = place { try await stock.checkFile() }
        do {
            try await stock.eachPage(RecordFilter(pageSize: 1)) { _ in false }
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, "nothing can be checked: \(noShop)")
        }
        var unreadable: [UnreadableMovement] = []
        let candidates = try await stock.differences {
            progress.update($0, fraction: nil)
        } unreadable: {
            unreadable.append($0)
        }
        var differences: [LedgerDifference] = []
        for candidate in candidates {
            if let difference = try await stock.confirmed(candidate) { differences.append(difference) }
        }
        progress.finish()
        for error in unreadable {
            console.complain("\(error); \(error.sku.map { "\($0.text) is left as it is" } ?? "it is left out")")
        }
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
            console.note("Every\(unreadable.isEmpty ? "" : " other") quantity is the sum of its movements.")
            return unreadable.isEmpty ? .done : .partlyDone
        }
        if isDryRun {
            let corrections = differences.count.counted("correction")
            // A script asks for this line alone.
            if console.verbosity == .quiet { console.complain("\(corrections) would be entered") }
            console.note("Nothing was written. Without --dry-run \(corrections) would be entered.")
            return .failed
        }
        // A movement without a SKU may belong to any of the records.
        guard unreadable.allSatisfy({ $0.sku != nil }) else {
            throw CommandFailure(
                .partlyDone,
                "nothing was corrected, since a movement that cannot be read may be the one that is missing")
        }
        do {
            try await stock.checkLedger()
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, noShop)
        }
        let count = try await stock.mend(
            differences, reason: "corrected by doctor: changed without a movement", isLedgerComplete: true)
        console.note(
            "\(count.counted("correction")) entered, so that every\(unreadable.isEmpty ? "" : " other") quantity is the sum "
                + "of its movements.")
        return unreadable.isEmpty ? .done : .partlyDone
    }
}
