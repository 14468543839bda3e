import RecordKitJSON

/// Replaces a customer's name in all that the shop keeps.
struct ForgetCommand: Command {
    let name: String
    let isConfirmed: Bool

    static let usage = CommandUsage(
        name: "forget", synonyms: ["erase", "anonymize"], operands: CommandUsage.Operands("NAME"),
        summary: "replace a customer's name everywhere in the shop",
        explanation: """
            Replaces a customer's name by `forgotten`: in reservations, which stay, in the history with its reasons and
            old values, and in parked baskets. The name is the one that `reserve` lists. Notes and other fields of
            records stay; `list --search` finds them. Asks first on a terminal; requires --yes elsewhere. This cannot be
            taken back. Backups that were made before still have the name. If it is interrupted, type it again.
            """,
        options: [Option("--yes", help: "replace it without a question"), .dryRun],
        examples: ["forget 'Ada L.'", "forget 'Ada L.' --dry-run"])

    func run(in context: CommandContext) async throws -> ExitCode {
        if !isConfirmed, !context.isDryRun {
            guard context.console.canAsk else {
                throw UsageError("forget asks only at a terminal; give --yes", command: Self.usage.name)
            }
            guard try context.console.confirm("Replace \(name) everywhere? This cannot be taken back.") == true else {
                context.console.note("Nothing was changed.")
                return .failed
            }
        }
        let progress = await context.progress("Forgetting", withMovements: true)
        let found = try await Forgetting(name: name, stock: context.stock).run { progress.update($0) }
        progress.finish()
        // The log has the pages as they were, while another till has the store open.
        if let file = context.place.file, !context.isDryRun { try StoreFile.emptyLog(of: file) }
        guard found != Forgetting.Count() else {
            throw CommandFailure(.notFound, "no reservation, movement or parked basket has the name \(name.printable)")
        }
        let places = [
            found.records.counted("record"), found.movements.counted("movement"),
            found.baskets.counted("parked basket"),
        ]
        try context.report("Replaced the name in \(places.joined(separator: ", ")).") {
            if context.printsJSON {
                try context.print([
                    "records": JSONValue(found.records), "movements": JSONValue(found.movements),
                    "parked": JSONValue(found.baskets),
                ])
            }
        }
        context.console.note("Backups that were made before still have the name.")
        return .done
    }
}

extension ForgetCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        name = arguments.operands[0].trimmed
        isConfirmed = arguments.has("--yes")
        if name.isEmpty { throw UsageError("forget requires a name") }
    }
}
