/// Creates the movements of a command, once for each id.
struct MovementMaker: Sendable {
    let context: CommandContext

    private var stock: Stock { context.stock }

    /// A command whose id says whether it was made.
    struct Identity {
        /// The id that the user gave, or `nil` for a new one.
        let id: String?
        /// What the command does. `nil` if the id says it.
        var kind: Movement.Kind?
        /// The SKUs and barcodes that the user typed.
        var codes: [SKU] = []
        /// The copies of all codes, or `nil` if the user gave no number.
        var copies: Int?
        var reason: String?
    }

    /// Runs `work` for a command. If the command was made under its id, reports what was made instead.
    ///
    /// - Parameter work: Makes the command in a context whose movements have its id. Its first look throws if the
    ///   command was made.
    func once(_ identity: Identity, _ work: (CommandContext) async throws -> Void) async throws -> ExitCode {
        var context = context
        context.stock.source.command = identity.id ?? MovementSource.newCommand(on: context.today)
        context.stock.source.reason = identity.reason
        do {
            try await work(context)
        } catch InventoryError.alreadyMade(let command, isChanged: false) where command == identity.id {
            try await reportMade(command, identity)
        }
        return .done
    }

    /// Changes records, of which the error names the one that is missing.
    ///
    /// - Parameters:
    ///   - seen: What was just read of the records.
    ///   - undoing: The ids of movements. Each look also reads what takes them back.
    ///   - advice: What to do if the outcome is unknown. Without it, the error names the first SKU.
    func change(
        _ skus: [SKU], seen: StockLook? = nil, undoing: [String] = [], ifUnknown advice: String? = nil,
        _ plan: (StockLook) async throws -> [RecordChange]
    ) async throws -> [StoredRecord] {
        do {
            return try await stock.change(skus, seen: seen, undoing: undoing) { look in
                _ = try context.finder.records(skus, in: look)
                return try await plan(look)
            }
        } catch let error as TooManyLines {
            throw CommandFailure(.failed, "\(error)")
        } catch let error as InventoryError {
            guard case .unanswered(let cause, _) = error else { throw error }
            let named = InventoryError.unanswered(cause, skus[0])
            guard let advice, case .server = context.place else { throw named }
            let failure = try CommandFailure(named)
            throw CommandFailure(failure.exitCode, "\(failure.message) \(advice)")
        }
    }

    /// Changes one record.
    func change(
        _ sku: SKU, seen: StockLook? = nil, ifUnknown advice: String?,
        _ plan: (StoredRecord) throws -> RecordChange?
    ) async throws -> Record {
        try await change([sku], seen: seen, ifUnknown: advice) { look in
            try plan(look.record(sku)).map { [$0] } ?? []
        }[0].record
    }

    /// How to repeat a command that has the option `--id`.
    var repetition: String? {
        stock.source.command.map { "With `--id \($0)` the same command is made once, however often you type it." }
    }

    /// Reports what was made under an id. Throws if it was something else.
    private func reportMade(_ id: String, _ identity: Identity) async throws {
        let movements = try await stock.movements(MovementFilter(command: id))
        let time = movements.first.map { " at \($0.time.text)" } ?? ""
        if let kind = identity.kind, try await !isSame(movements, kind, identity) {
            throw CommandFailure(
                .conflict,
                "nothing was changed: the id \(id) belongs to another command, made\(time); look at it with `history --id "
                    + "\(id)`, and give this one another id")
        }
        var printer = RowPrinter<Movement>(on: context.console, context.output.withAllFields)
        for movement in movements { try printer.print(movement) }
        try printer.finish()
        context.console.note("Nothing was done again: \(id) was made\(time).")
    }

    private func isSame(_ movements: [Movement], _ kind: Movement.Kind, _ identity: Identity) async throws -> Bool {
        // A sale of reserved copies also releases them.
        let own = movements.filter { $0.kind == kind }
        let made = Set(own.map(\.sku))
        var wanted: Set<SKU> = []
        for code in Set(identity.codes) {
            if made.contains(code) {
                wanted.insert(code)
            } else if let barcode = try? Barcode(code.text) {
                try await stock.eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
                    wanted.formUnion(page.records.map(\.record.sku).filter(made.contains))
                    return true
                }
            } else {
                return false
            }
        }
        let count = own.map { Int(clamping: $0.quantity.magnitude) }.reduce(0, &+)
        return wanted == made && identity.copies ?? count == count
    }
}
