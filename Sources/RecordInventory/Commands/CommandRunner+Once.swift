// Commands that are made once.
extension CommandRunner {
    /// Returns the movements of a command, or the movement with an id.
    func movements(named id: String) async throws -> [Movement] {
        guard id.isKintoID else { return [] }
        let movements = try await stock.movements(MovementFilter(command: id))
        if !movements.isEmpty { return movements }
        return try await stock.movement(id).map { [$0] } ?? []
    }

    /// Runs `work` for a command. If the command was made under its id, reports what was made instead.
    ///
    /// - Parameters:
    ///   - id: the id that the user gave, or `nil` for a new one.
    ///   - kind: what the command does. `nil` if the id says it.
    ///   - codes: the SKUs and barcodes that the user typed.
    ///   - copies: the copies of all codes, or `nil` if the user gave no number.
    ///   - work: makes the command with a runner whose movements have its id. The runner's `changed` throws if another
    ///     process makes the command meanwhile.
    func makeOnce(
        _ id: String?, _ kind: Movement.Kind? = nil, _ codes: [SKU] = [], copies: Int? = nil, reason: String? = nil,
        _ work: (CommandRunner) async throws -> Void
    ) async throws {
        // The first movement shows whether it was made, with one request.
        if let id, try await stock.movement(Movement.id(1, of: id)) != nil {
            return try await reportMade(id, kind, codes, copies)
        }
        var runner = self
        runner.stock.source.command = id ?? MovementSource.newCommand(on: stock.source.now().day)
        runner.stock.source.reason = reason
        do {
            try await work(runner)
        } catch InventoryError.alreadyMade(let command, isChanged: false) where command == id {
            try await reportMade(command, kind, codes, copies)
        }
    }

    /// Reports what was made under an id. Throws if it was something else.
    private func reportMade(_ id: String, _ kind: Movement.Kind?, _ codes: [SKU], _ copies: Int?) async throws {
        let movements = try await stock.movements(MovementFilter(command: id))
        let time = movements.first.map { " at \($0.time.text)" } ?? ""
        if let kind, try await !isSame(movements, kind, codes, copies) {
            throw CommandFailure(
                .conflict,
                "nothing was changed: the id \(id) belongs to another command, made\(time); look at it with `history --id "
                    + "\(id)`, and give this one another id")
        }
        try printMovements(movements)
        console.note("Nothing was done again: \(id) was made\(time).")
    }

    private func isSame(
        _ movements: [Movement], _ kind: Movement.Kind, _ codes: [SKU], _ copies: Int?
    ) async throws -> Bool {
        // A sale of reserved copies also releases them.
        let own = movements.filter { $0.kind == kind }
        let made = Set(own.map(\.sku))
        var wanted: Set<SKU> = []
        for code in Set(codes) {
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
        let count = own.map { Int($0.quantity.magnitude) }.reduce(0, +)
        return wanted == made && copies ?? count == count
    }
}
