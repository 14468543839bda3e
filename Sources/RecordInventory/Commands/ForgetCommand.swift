import RecordKitJSON

/// Replaces a customer's name in all that the shop keeps.
struct ForgetCommand: Command {
    let name: String
    let isConfirmed: Bool
    /// Whether a name of fewer than three letters is replaced within longer texts, too.
    var isWithin = false

    static let usage = CommandUsage(
        name: "forget", synonyms: ["erase", "anonymize"], operands: CommandUsage.Operands("NAME"),
        summary: "replace a customer's name everywhere in the shop",
        explanation: """
            Replaces a customer's name by `forgotten`, in any case and with any white space: in reservations, which
            stay, in notes and consignors with their old values, in reasons of the history, of closes and of the drawer,
            in parked baskets, and in names of what was sold without a record. Names an artist, title, label or person
            of a till that is equal, and leaves it. --dry-run shows each text. A name of fewer than three letters is
            replaced where it is the whole text; with --within also in longer ones.

            `list --search` finds what the records in stock have in artist, title, label, catalog number, notes and
            other texts, but nothing of the history. Asks first on a terminal; requires --yes elsewhere. This cannot be
            taken back. Backups that were made before still have the name. If it is interrupted, type it again.
            """,
        options: [
            Option("--yes", help: "replace it without a question"),
            Option("--within", help: "replace a short name within longer texts, too"), .dryRun,
        ],
        examples: ["forget 'Ada L.'", "forget 'Ada L.' --dry-run"])

    func run(in context: CommandContext) async throws -> ExitCode {
        if !isConfirmed, !context.isDryRun {
            guard context.console.canAsk else { throw UsageError("forget asks only at a terminal; give --yes") }
            let question = "Replace \(name) everywhere? This cannot be taken back."
            guard try context.confirm(question, orNote: "Nothing was changed.") else { return .failed }
        }
        let texts = Texts()
        let found = try await forget(in: context, texts)
        // The log has the pages as they were, while another till has the store open.
        if let file = context.place.file, !context.isDryRun { try StoreFile.emptyLog(of: file) }
        if context.isDryRun { for text in texts.found { context.console.note(text) } }
        for place in texts.kept { context.console.complain("\(place.printable) is \(name.printable), and stays") }
        try report(found, in: context)
        return .done
    }

    /// What has the name, in the order in which it is found.
    private final class Texts {
        var found: [String] = []
        var kept: [String] = []
    }

    /// A function by itself: with this in ``run(in:)``, the optimizer of Swift 6.3.1 fails.
    private func forget(in context: CommandContext, _ texts: Texts) async throws -> Forgetting.Count {
        let progress = await context.progress("Forgetting", withMovements: true)
        let forgetting = Forgetting(
            name: NamePattern(name, isWithin: isWithin), stock: context.stock,
            found: { texts.found.append("\($0.printable): \($1.shown)") }, kept: { texts.kept.append($0) })
        let count = try await forgetting.run { progress.update($0) }
        progress.finish()
        return count
    }

    private func report(_ found: Forgetting.Count, in context: CommandContext) throws {
        guard found != Forgetting.Count() else {
            throw CommandFailure(
                .notFound,
                "no record, movement, parked basket, close or move of the drawer has the name \(name.printable)")
        }
        let places = [
            found.records.counted("record"), found.movements.counted("movement"),
            found.baskets.counted("parked basket"), found.closes.counted("close"),
            found.drawer.counted("move of the drawer", "moves of the drawer"),
        ]
        try context.reporter.report(
            "Replaced the name in \(places.joined(separator: ", ")).",
            json: [
                "records": JSONValue(found.records), "movements": JSONValue(found.movements),
                "parked": JSONValue(found.baskets), "closes": JSONValue(found.closes),
                "drawer": JSONValue(found.drawer),
            ])
        context.console.note("Backups that were made before still have the name.")
    }
}

extension ForgetCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        name = arguments.operands[0].personName
        isConfirmed = arguments.has("--yes")
        isWithin = arguments.has("--within")
        if name.isEmpty { throw UsageError("forget requires a name") }
    }
}
