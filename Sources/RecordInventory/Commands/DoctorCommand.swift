import RecordKitJSON

/// Compares the records with their movements, and enters what is missing.
struct DoctorCommand: Command {
    static let usage = CommandUsage(
        name: "doctor", synonyms: ["check", "fsck"], summary: "check the stock against its movements",
        explanation: """
            Checks that the quantity of each record is the sum of its movements, and corrects the movements if it is
            not: another program changed the record without them. Leaves a record alone if one of its movements
            cannot be read.
            """,
        options: [.dryRun], examples: ["doctor", "doctor --dry-run"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        let (stock, console) = (context.stock, context.console)
        let progress = await context.progress("Checking", withMovements: true)
        defer { progress.finish() }
        if context.place.isStore { try await stock.checkFile() }
        try await context.eachPage(RecordFilter(pageSize: 1), orFail: "nothing can be checked") { _ in false }
        var unreadable: [Unreadable] = []
        let candidates = try await stock.differences {
            progress.update($0)
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
        try report(differences, in: context)
        if differences.isEmpty {
            console.note("Every\(unreadable.isEmpty ? "" : " other") quantity is the sum of its movements.")
            return unreadable.isEmpty ? .done : .partlyDone
        }
        if context.isDryRun {
            let corrections = differences.count.counted("correction")
            if console.verbosity == .quiet {
                // A script asks for this line alone.
                console.complain("\(corrections) would be entered")
            } else {
                console.note("Nothing was written. Without --dry-run \(corrections) would be entered.")
            }
            return .failed
        }
        // A movement without a SKU may belong to any of the records.
        guard unreadable.allSatisfy({ $0.sku != nil }) else {
            throw CommandFailure(
                .partlyDone,
                "nothing was corrected, since a movement that cannot be read may be the one that is missing")
        }
        try await stock.checkLedger()
        let count = try await stock.mend(
            differences.map(\.sku), reason: "corrected by doctor: changed without a movement")
        console.note(
            "\(count.counted("correction")) entered, so that every\(unreadable.isEmpty ? "" : " other") quantity is "
                + "the sum of its movements.")
        return unreadable.isEmpty ? .done : .partlyDone
    }

    private func report(_ differences: [LedgerDifference], in context: CommandContext) throws {
        if context.reporter.printsJSON {
            let rows = differences.map { difference -> JSONValue in
                [
                    "sku": .string(difference.sku.text), "quantity": JSONValue(difference.quantity),
                    "movements": JSONValue(difference.sum),
                ]
            }
            try context.reporter.print(.array(rows))
        }
        for difference in differences.prefix(1_000) {
            let state = difference.quantity.map { "has \($0) in stock" } ?? "was deleted"
            context.console.note("\(difference.sku.text) \(state), but its movements add up to \(difference.sum).")
        }
    }
}
