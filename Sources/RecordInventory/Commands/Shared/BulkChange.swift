/// Why one of many records is left as it is.
struct RecordRefused: Error {
    let reason: String
}

/// A change of all records that match, after a preview and a question.
///
/// A second run of the same command selects what still matches and is not changed yet. So it goes on where a first one
/// was killed. Under the id of the first one, it changes no record again, also if the change goes by what the record
/// has.
struct BulkChange {
    let context: CommandContext
    /// The conditions.
    let list: ListCommand
    let isConfirmed: Bool
    /// The id of the command, or `nil` for a new one.
    var id: String?
    /// Whether a second change of a record would differ from the first, so that only the id prevents it.
    var goesByOldValues = false
    /// Returns the record as it should be. `nil` deletes the records.
    let edit: ((Record) throws -> Record)?

    private static let previewed = 5

    private var console: Console { context.console }
    private var printsRows: Bool { edit == nil ? context.reporter.output.isChosen : context.reporter.printsChanges }
    private var done: String { edit == nil ? "deleted" : "changed" }

    /// The records to change.
    private struct Selection {
        var skus: [SKU] = []
        var copies = 0
        var reserved = 0
        /// The number of records that match. Some may be as they should be.
        var matching = 0
        var preview: [String] = []
        /// The number of records that cannot be changed so.
        var refused = 0

        var text: String {
            let kept = reserved == 0 ? "" : ", \(reserved) of them reserved"
            return skus.count.counted("record") + " with \(copies.counted("copy", "copies")) in stock" + kept
        }
    }

    func run() async throws -> ExitCode {
        guard isConfirmed || context.isDryRun || console.canAsk else {
            throw UsageError("\(edit == nil ? "delete" : "edit") --where asks only at a terminal; give --yes")
        }
        try await context.checkID(id, edit == nil ? [.deletion] : [.edit, .correction])
        let selection = try await select()
        if selection.skus.isEmpty {
            let (matching, refused) = (selection.matching.counted("record"), selection.refused > 0)
            let why = selection.matching == 0 ? ": no record matches" : ": \(matching) match, and are like that already"
            console.note("Nothing was \(done)\(refused ? "" : why).")
            if printsRows { try context.reporter.print([Record]()) }
            return .done
        }
        if !isConfirmed || context.isDryRun {
            for line in selection.preview { console.note(line) }
            let rest = selection.skus.count - selection.preview.count
            if rest > 0 { console.note("… and \(rest) more.") }
        }
        if context.isDryRun {
            console.note("Nothing was written. It would be \(done): \(selection.text).")
            return .done
        }
        let question = "\(edit == nil ? "Delete" : "Change") \(selection.text)?"
        guard try isConfirmed || console.confirm(question) == true else {
            console.note("Nothing was \(done).")
            return .failed
        }
        try await commit(selection)
        return .done
    }

    /// Reads the records that match. Throws if one of them cannot be changed, before any is.
    private func select() async throws -> Selection {
        var selection = Selection()
        var seen = 0
        var printer = RowPrinter<Record>(on: console, context.reporter.output)
        let progress = ProgressBar("Reading", on: console)
        defer { progress.finish() }
        do {
            try await list.checkCurrencies(context.stock, list.filter)
            try await context.eachPage(list.filter) { page in
                for record in page.lazy.map(\.record) where list.accepts(record) {
                    selection.matching += 1
                    let edited: Record?
                    do { edited = try self.edited(record) } catch let error as RecordRefused {
                        context.reporter.complain("\(record.sku.text): \(error.reason); left as it is")
                        selection.refused += 1
                        continue
                    }
                    if edited == record { continue }
                    selection.skus.append(record.sku)
                    selection.copies &+= record.quantity
                    selection.reserved &+= record.reserved(on: context.today)
                    if selection.preview.count < Self.previewed {
                        let differences = edited.map { FieldDifference.all(from: record, to: $0).map(\.text) } ?? []
                        selection.preview.append(([record.name] + differences).joined(separator: "; "))
                    }
                    if context.isDryRun, context.reporter.printsChanges { try printer.print(edited ?? record) }
                }
                seen += page.count
                progress.update(seen)
                return true
            }
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, "nothing was \(done): \(context.noShop)")
        }
        if context.isDryRun, context.reporter.printsChanges, !selection.skus.isEmpty { try printer.finish() }
        return selection
    }

    private func edited(_ record: Record) throws -> Record? {
        do {
            return try edit?(record)
        } catch let error as UsageError {
            throw UsageError("nothing was changed, because of \(record.sku.text): \(error.message)")
        }
    }

    private func commit(_ selection: Selection) async throws {
        var stock = context.stock
        stock.source.command = id
        stock.source.isNewCommand = id == nil
        stock.source = stock.source.numbered
        let source = stock.source
        if goesByOldValues, let command = source.command {
            console.note("If this is interrupted, type it again with --id \(command): it changes no record twice.")
        }
        var work = BulkWork(
            edit == nil ? "Deleting" : "Changing", of: selection.skus.count, in: context, done: done,
            again: "type the same command again with --id \(source.command ?? "")", printsRows: printsRows)
        // Those that the command has changed before, under the same id.
        var earlier: Set<SKU> = []
        try await work.run { made in
            // A deletion renames the first movement of the record, which takes two requests more.
            try await stock.changeEach(
                selection.skus, size: edit == nil ? 4 : 2,
                { look in
                    // A record that cannot be read by now is left as it is.
                    guard let stored = look.stored else { return nil }
                    if look.isMade(by: source.command) {
                        earlier.insert(look.sku)
                        return nil
                    }
                    // Another program may have changed it since the preview.
                    guard list.accepts(stored.record) else { return nil }
                    let edited: Record?
                    do { edited = try self.edited(stored.record) } catch is RecordRefused { return nil }
                    guard let edited else { return try await stock.deletion(of: stored, source) }
                    guard edited != stored.record else { return nil }
                    return .change(stored, to: edited, [source.correction(nil, from: stored.record, to: edited)])
                }, made: made)
        }
        let again =
            earlier.isEmpty
            ? ""
            : " \(earlier.count.counted("record")) \(earlier.count == 1 ? "was" : "were") \(done) "
                + "before, under the same id."
        let sentence = "\(work.count.counted("record")) \(work.count == 1 ? "is" : "are") \(done).\(again)"
        try context.reporter.report(sentence, undo: source.command) { try work.finish() }
    }
}

extension BulkChange {
    static let options = [
        Option("--where", .condition, repeats: true, help: "all matching records; also min_FIELD and max_FIELD"),
        Option("--yes", help: "do not ask first"), .id,
    ]
}

extension ArgumentScanner {
    /// Parses the record that a command is about, or the conditions of all that it is about.
    func target(of command: CommandUsage) throws(UsageError) -> (code: SKU?, list: ListCommand?) {
        guard has("--where") else {
            guard !operands.isEmpty else {
                throw UsageError("\(command.name) requires a SKU, or --where FIELD=VALUE for all that match")
            }
            return (try sku(), nil)
        }
        return (nil, try ListCommand(conditions: ListCommand.conditions(self)))
    }
}
