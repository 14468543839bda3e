/// A command with an id, under which it is made once.
struct CommandIdentity {
    /// The id that the user gave, or `nil` for a new one.
    let id: String?
    /// What the command does, or may do. Empty if the id says it.
    var kinds: [Movement.Kind] = []
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
        guard case .unanswered = error, !place.isStore else { return error }
        let failure = try CommandFailure(error)
        return CommandFailure(
            failure.exitCode, [failure.message, advice].filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// Reports what was made under an id. Throws if it was something else.
    func reportMade(_ id: String, _ identity: CommandIdentity) async throws {
        let movements = try await stock.movements(MovementFilter(command: id)).filter { $0.kind != .void }
        if movements.isEmpty { try await checkDrawer(id) }
        let time = movements.first.map { " at \($0.time.text)" } ?? ""
        if !identity.kinds.isEmpty, try await !isSame(movements, identity) {
            throw CommandFailure.otherCommand(id, time)
        }
        try reporter.print(movements.map { HistoryLine(movement: $0) }, reporter.output.withAllFields)
        let undone = try await isUndone(id) ? ", and taken back since by undo-\(id)" : ""
        console.note("Nothing was done again: \(id) was made\(time)\(undone).")
    }

    /// Throws if an id belongs to another command than one that changes many records, or if that was taken back.
    ///
    /// - Parameter kinds: The kinds of movements that the command makes.
    func checkID(_ id: String?, _ kinds: [Movement.Kind], isImport: Bool = false) async throws {
        guard let id else { return }
        // A command makes one kind, or a few that none but an import shares.
        var filter = MovementFilter.made(by: id)
        filter.pageSize = 20
        try await stock.eachMovementPage(filter) { page in
            for movement in page.items
            where !kinds.contains(movement.kind) || (movement.isImport == true) != isImport
                || movement.id == Movement.id(1, of: id)
            {
                throw CommandFailure.otherCommand(id, " at \(movement.time.text)")
            }
            return false
        }
        try await checkDrawer(id)
        guard try await isUndone(id) else { return }
        throw CommandFailure(
            .conflict, "nothing was changed: \(id) was taken back by undo-\(id); give this command another id")
    }

    /// Throws if a move of cash has an id.
    func checkDrawer(_ id: String) async throws {
        guard let move = try await stock.server.found(stock.drawerMove(id)) else { return }
        throw CommandFailure(
            .conflict,
            "nothing was changed: the id \(id) belongs to a move of the drawer, made at \(move.time.text); give this "
                + "command another id")
    }

    /// Throws if a command with movements has an id.
    func checkIsNew(_ id: String?) async throws {
        guard let id, let movement = try await stock.movements(.made(by: id)).first else { return }
        throw CommandFailure.otherCommand(id, " at \(movement.time.text)")
    }

    private func isUndone(_ id: String) async throws -> Bool {
        var isUndone = false
        try await stock.eachMovementPage(.made(by: "undo-" + id)) { page in
            guard let undo = page.items.first else { return false }
            isUndone = try await stock.returns(of: [undo.id]).standing.isEmpty
            return false
        }
        return isUndone
    }

    private func isSame(_ movements: [Movement], _ identity: CommandIdentity) async throws -> Bool {
        // A sale of reserved copies also releases them.
        let own = movements.filter { identity.kinds.contains($0.kind) && !$0.isOneOfMany }
        if own.isEmpty { return false }
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

extension CommandFailure {
    /// - Parameter time: When the other command was made, to continue a sentence.
    fileprivate static func otherCommand(_ id: String, _ time: String) -> CommandFailure {
        CommandFailure(
            .conflict,
            "nothing was changed: the id \(id) belongs to another command, made\(time); look at it with `history --id "
                + "\(id)`, and give this one another id")
    }
}
