// Taking back, and putting aside.
extension CommandRunner {
    /// Takes back the movements of a command, of one movement, or of the till's last command.
    ///
    /// - Parameter printsRecords: whether to print the records too, as elsewhere than at a counter.
    func undo(_ id: String?, _ reason: String?, printsRecords: Bool = true) async throws {
        let originals = if let id { try await movements(named: id) } else { try await lastMovements() }
        guard let first = originals.first else {
            throw CommandFailure(
                .notFound,
                id.map { "there is no movement and no command \($0); `history` lists them" }
                    ?? "the till \(stock.source.till) has made nothing that can be taken back; `history` lists what others did"
            )
        }
        let command = "undo-" + (originals.count == 1 && id == first.id ? first.id : first.command ?? first.id)
        // A sale of reserved copies also released them. They are available again when they come back.
        let movements = originals.filter { $0.kind.changesStock || $0.kind == .reservation }
        guard !movements.isEmpty, !movements.contains(where: { $0.kind == .opening || $0.kind == .deletion }) else {
            throw CommandFailure(
                .conflict,
                "\(first.command ?? first.id) cannot be taken back: it is \(first.kind.title) of \(first.sku.text)")
        }
        if let undone = movements.first(where: { $0.command?.hasPrefix("undo-") == true }) {
            throw CommandFailure(
                .conflict, "\(undone.command ?? undone.id) takes back something itself; make the sale again instead")
        }
        try await makeOnce(command, reason: reason) { runner in
            let moved = try await runner.takenBack(movements)
            try report(moved.map(\.sentence).joined(separator: "\n")) {
                if printsRecords, printsJSON || !console.results.isTerminal { try printRecords(moved.map(\.record)) }
            }
        }
    }

    private func takenBack(_ originals: [Movement]) async throws -> [Moved] {
        let source = stock.source
        var skus: [SKU] = []
        for original in originals where !skus.contains(original.sku) { skus.append(original.sku) }
        var movements: [Movement] = []
        let records = try await changed(skus, nil) { current in
            if let earlier = try await stock.movements(undoing: originals.map(\.id)).first, let id = earlier.undoes {
                throw CommandFailure(
                    .conflict,
                    "\(id) was taken back already, in part or as a whole, by \(earlier.id); nothing was changed")
            }
            movements = originals.enumerated().map { index, original in source.reverse(original, index + 1) }
            return try current.map { stored in
                let own = movements.filter { $0.sku == stored.record.sku }
                var record = try stored.record.moved(
                    by: own.filter(\.kind.changesStock).reduce(0) { $0 + $1.quantity })
                record.reservations.removeAll { reservation in own.contains { $0.undoes == reservation.id } }
                return .change(stored, to: record, own)
            }
        }
        return movements.compactMap { movement in
            guard let record = records.first(where: { $0.record.sku == movement.sku })?.record else { return nil }
            let sentence =
                movement.kind == .release
                ? "Released \(-movement.quantity) of \(record.sku.text)."
                : "Undone: \(movement.undoes ?? ""). \(record.sku.text) has \(record.quantity) in stock."
            return Moved(record: record, movement: movement, sentence: sentence)
        }
    }

    /// Returns the movements of the till's last command, of the last two days.
    private func lastMovements() async throws -> [Movement] {
        let now = stock.source.now().milliseconds
        let filter = MovementFilter(
            till: stock.source.till, kinds: [.sale, .return, .restock, .tradeIn, .writeOff, .count, .reservation],
            times: (now - 172_800_000)..<Int64.max, isLatestFirst: true, pageSize: 20)
        var last: Movement?
        try await stock.eachMovementPage(filter) { page in
            let own = page.movements.filter { $0.undoes == nil }
            let undone = Set(try await stock.movements(undoing: own.map(\.id)).compactMap(\.undoes))
            last = own.first { !undone.contains($0.id) }
            return last == nil
        }
        guard let last else { return [] }
        return if let command = last.command { try await stock.movements(MovementFilter(command: command)) } else {
            [last]
        }
    }

    func reserve(_ code: SKU, _ reserve: Command.Reserve) async throws {
        try await makeOnce(reserve.id, .reservation, [code], copies: reserve.count) { runner in
            try await runner.reserved(code, reserve)
        }
    }

    private func reserved(_ code: SKU, _ reserve: Command.Reserve) async throws {
        let source = stock.source
        let day = source.now().day
        if let until = reserve.until, until < day {
            throw UsageError("--until \(until) has passed; today is \(day)", command: .reserve)
        }
        let stored = try await record(for: code, isSale: true)
        let end = reserve.until.map { " until \($0)" } ?? ""
        let record = try await changed([stored.record.sku], [stored]) { current in
            var record = current[0].record
            let available = record.available(on: day)
            guard available >= reserve.count else {
                throw CommandFailure(
                    .conflict,
                    "there are not enough copies of \(record.sku.text): \(record.quantity) in stock, \(available) "
                        + "available, \(reserve.count) wanted")
            }
            var movement = source.movement(1, of: record.sku, .reservation, reserve.count)
            movement.reason = "for \(reserve.name)\(end)"
            record.reservations.append(
                Reservation(id: movement.id, name: reserve.name, quantity: reserve.count, until: reserve.until))
            return [.change(current[0], to: record, [movement])]
        }[0].record
        try printChange(
            record,
            "Reserved \(reserve.count) of \(record.sku.text) for \(reserve.name)\(end); \(record.available(on: day)) of "
                + "\(record.quantity) available.")
    }

    func release(_ code: SKU, _ name: String?, _ id: String?) async throws {
        try await makeOnce(id, .release, [code]) { runner in try await runner.released(code, name) }
    }

    private func released(_ code: SKU, _ name: String?) async throws {
        let source = stock.source
        let stored = try await record(for: code, isSale: true)
        var count = 0
        let record = try await changed([stored.record.sku], [stored]) { current in
            var record = current[0].record
            let freed = record.reservations.filter { $0.name == name ?? $0.name }
            guard !freed.isEmpty else {
                let whom = name.map { " for \($0)" } ?? ""
                throw CommandFailure(.notFound, "no copy of \(record.sku.text) is reserved\(whom)")
            }
            count = freed.map(\.quantity).reduce(0, +)
            record.reservations.removeAll { freed.contains($0) }
            let movements = freed.enumerated().map { index, reservation in
                var movement = source.movement(index + 1, of: record.sku, .release, -reservation.quantity)
                movement.undoes = reservation.id
                movement.reason = "for \(reservation.name)"
                return movement
            }
            return [.change(current[0], to: record, movements)]
        }[0].record
        try printChange(
            record,
            "Released \(count) of \(record.sku.text); \(record.available(on: source.now().day)) of \(record.quantity) "
                + "available.")
    }
}

extension MovementSource {
    /// Makes the movement that takes another one back.
    fileprivate func reverse(_ original: Movement, _ number: Int) -> Movement {
        let kind: Movement.Kind =
            switch original.kind {
            case .sale: .return
            case .return: .sale
            case .reservation: .release
            default: original.kind
            }
        var movement = movement(number, of: original.sku, kind, -original.quantity)
        movement.price = original.price
        movement.discount = original.discount
        movement.payment = original.payment
        movement.cost = original.cost
        movement.undoes = original.id
        return movement
    }
}
