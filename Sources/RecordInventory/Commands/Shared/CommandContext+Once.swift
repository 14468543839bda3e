/// A command with an id, under which it is made once.
struct CommandIdentity {
    /// The id that the user gave, or `nil` for a new one.
    let id: String?
    /// What the command does. `nil` if the id says it.
    var kind: Movement.Kind?
    /// What else it may do.
    var otherKind: Movement.Kind?
    /// The SKUs and barcodes that the user typed.
    var codes: [SKU] = []
    /// The copies of all codes, or `nil` if the user gave no number.
    var copies: Int?
    var reason: String?
    /// What to do if the outcome is unknown. `nil` advises to repeat the command with `--id`.
    var advice: String?
}

extension CommandContext {
    /// Runs `work` for a command. If the command was made under its id, reports what was made instead.
    ///
    /// - Parameter work: Makes the command, in a context whose movements have its id. Its first look throws if the
    ///   command was made.
    func once(_ identity: CommandIdentity, _ work: (CommandContext) async throws -> Void) async throws -> ExitCode {
        let command = identity.id ?? MovementSource.newCommand(on: today)
        var context = self
        context.stock.source.command = command
        context.stock.source.isNewCommand = identity.id == nil
        context.stock.source.reason = identity.reason
        do {
            try await work(context)
        } catch InventoryError.alreadyMade(let made, isChanged: false) where made == identity.id {
            try await context.reportMade(command, identity)
        } catch let error as InventoryError {
            throw try advised(
                error,
                identity.advice ?? "With `--id \(command)` the same command is made once, however often you type it.")
        }
        return .done
    }

    /// Returns the error with the advice, if it is not known whether a server made the change. Returns any other error
    /// as it is.
    func advised(_ error: InventoryError, _ advice: String) throws(CancellationError) -> any Error {
        guard case .unanswered = error, place.losesResponses else { return error }
        let failure = try CommandFailure(error)
        return CommandFailure(
            failure.exitCode, [failure.message, advice].filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// Reports what was made under an id. Throws if it was something else.
    func reportMade(_ id: String, _ identity: CommandIdentity) async throws {
        let movements = try await stock.movements(MovementFilter(command: id))
        let time = movements.first.map { " at \($0.time.text)" } ?? ""
        if let kind = identity.kind, try await !isSame(movements, [kind, identity.otherKind], identity) {
            throw CommandFailure(
                .conflict,
                "nothing was changed: the id \(id) belongs to another command, made\(time); look at it with `history --id "
                    + "\(id)`, and give this one another id")
        }
        try print(movements.map { HistoryLine($0) }, output.withAllFields)
        console.note("Nothing was done again: \(id) was made\(time).")
    }

    private func isSame(
        _ movements: [Movement], _ kinds: [Movement.Kind?], _ identity: CommandIdentity
    ) async throws -> Bool {
        // A sale of reserved copies also releases them.
        let own = movements.filter { kinds.contains($0.kind) }
        let made = Set(own.map(\.sku))
        var wanted: Set<SKU> = []
        for code in Set(identity.codes) {
            if made.contains(code) {
                wanted.insert(code)
            } else if let barcode = try? Barcode(code.text) {
                try await stock.eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
                    wanted.formUnion(page.items.map(\.record.sku).filter(made.contains))
                    return true
                }
            } else {
                return false
            }
        }
        let count = own.map { Int(clamping: $0.quantity.magnitude) }.reduce(0, &+)
        return (identity.codes.isEmpty || wanted == made) && identity.copies ?? count == count
    }
}
