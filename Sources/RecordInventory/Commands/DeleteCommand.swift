/// Removes a record, or all that match.
struct DeleteCommand: Command {
    /// The record, or `nil` for all that match.
    let code: SKU?
    let isConfirmed: Bool
    /// The conditions of all that match.
    var list: ListCommand?
    /// The id of the command, which deletes a record once.
    var id: String?

    static let usage = CommandUsage(
        name: "delete", synonyms: ["remove", "rm", "del"],
        operands: CommandUsage.Operands("[SKU]", .sku, count: 0...1), summary: "remove a record, or all that match",
        explanation: """
            Removes a record. Asks first on a terminal, and names the copies and the reservations that go with it;
            requires --yes elsewhere. If the record is changed while it asks, it stays, and the exit code is 5.

            With --where, removes all records that match, as list shows them. If it is interrupted, the same command
            goes on with the others. The history keeps each record as a whole, and `undo ID` puts them back.
            """,
        options: BulkChange.options + [.dryRun, .recordFields], rules: [.oneOrMatching],
        examples: ["delete LP-0042", "delete LP-0042 --yes", "delete --where status=sold --where max_year=1960"])

    func run(in context: CommandContext) async throws -> ExitCode {
        guard let code else {
            return try await BulkChange(
                context: context, list: list ?? ListCommand(), isConfirmed: isConfirmed,
                id: id, edit: nil
            ).run()
        }
        var exitCode = ExitCode.done
        let identity = CommandIdentity(id: id, kinds: [.deletion], codes: [code])
        _ = try await context.once(identity) { exitCode = try await findAndDelete(code, in: $0) }
        return exitCode
    }

    private func findAndDelete(_ code: SKU, in context: CommandContext) async throws -> ExitCode {
        // Only a barcode stands for another SKU.
        let sku =
            (try? Barcode(code.text)) == nil
            ? code : try await context.look(at: [code]).sku(for: code)
        if !isConfirmed, !context.isDryRun, !context.console.canAsk {
            throw UsageError("delete asks only at a terminal; give --yes")
        }
        do {
            return try await delete(sku, in: context)
        } catch let error as InventoryError {
            throw MissingRecord.named(error, sku)
        }
    }

    private func delete(_ sku: SKU, in context: CommandContext) async throws -> ExitCode {
        let (stock, console) = (context.stock, context.console)
        let deleted: Record?
        if isConfirmed, !context.isDryRun {
            deleted = try await stock.delete(sku)
        } else {
            let look = try await stock.lookToDelete(sku)
            let record = try look.deletable(sku).stored?.record
            let name =
                record.map { "\($0.name)\(contents(of: $0, on: context.today))" }
                ?? "\(sku.text), which cannot be read"
            if context.isDryRun {
                if let record {
                    try context.reporter.reportDryRun("deleted: \(name)", record)
                } else {
                    console.note("Nothing was written. It would be deleted: \(name).")
                }
                return .done
            }
            guard try context.confirm("Delete \(name)?", orNote: "Nothing was deleted.") else { return .failed }
            do {
                deleted = try await stock.delete(sku, seen: look)
            } catch InventoryError.conflict {
                throw CommandFailure(
                    .conflict,
                    "\(sku.text) was changed while you were asked, so it was not deleted; look at it with `show "
                        + "\(sku.text)` and try again")
            }
        }
        try context.reporter.report("Deleted \(sku.text).", undo: deleted == nil ? nil : stock.source.command) {
            if context.reporter.output.isChosen, let deleted { try context.reporter.print(deleted) }
        }
        return .done
    }

    /// Returns what goes with a record, to continue a sentence: `, with 3 copies in stock, 1 of them for Ada`.
    private func contents(of record: Record, on day: CalendarDay) -> String {
        let copies = record.quantity == 0 ? [] : ["\(record.quantity.counted("copy", "copies")) in stock"]
        let reserved = record.reservations.filter { $0.stands(on: day) }
            .map { "\($0.quantity) reserved \($0.text)" }
        let contents = (copies + reserved).joined(separator: ", ")
        return contents.isEmpty ? "" : ", with \(contents)"
    }
}

extension DeleteCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        (code, list) = try arguments.target(of: Self.usage)
        isConfirmed = arguments.has("--yes")
        id = try arguments.newID()
    }
}
