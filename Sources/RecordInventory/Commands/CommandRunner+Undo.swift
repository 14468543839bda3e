// Taking back, and putting aside.
extension CommandRunner {
    /// Takes back the movements of a command, of one movement, or of the till's last command.
    ///
    /// - Parameter isAtCounter: whether only a sale is meant, and the records are not printed.
    func undo(_ id: String?, _ reason: String?, isAtCounter: Bool = false) async throws {
        let originals =
            if let id { try await movements(named: id) } else { try await lastMovements(isAtCounter: isAtCounter) }
        guard let first = originals.first else {
            throw CommandFailure(
                .notFound,
                id.map { "there is no movement and no command \($0); `history` lists them" }
                    ?? "the till \(stock.source.till) has made nothing that can be taken back; `history` lists what others did"
            )
        }
        let command = "undo-" + (originals.count == 1 && id == first.id ? first.id : first.command ?? first.id)
        let movements = originals.filter { $0.kind != .edit }
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
                if !isAtCounter, printsJSON || !console.results.isTerminal { try printRecords(moved.map(\.record)) }
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
                for movement in own { record.reserve(by: movement) }
                return .change(stored, to: record, own)
            }
        }
        return movements.compactMap { movement in
            guard let record = records.first(where: { $0.record.sku == movement.sku })?.record else { return nil }
            let sentence =
                switch movement.kind {
                case .release: "Released \(-movement.quantity) of \(record.sku.text)."
                case .reservation:
                    "Reserved \(movement.quantity) of \(record.sku.text) for \(movement.reservation?.name ?? "") again."
                default: "Undone: \(movement.undoes ?? ""). \(record.sku.text) has \(record.quantity) in stock."
                }
            return Moved(record: record, movement: movement, sentence: sentence)
        }
    }

    /// Returns the movements of the till's last command of the last two days, or of its last sale at the counter. Goes
    /// back no further if that one cannot be taken back: an earlier one may be another customer's.
    private func lastMovements(isAtCounter: Bool) async throws -> [Movement] {
        let now = stock.source.now().milliseconds
        // The store's index of times has no openings, since an import makes one for each row.
        let filter = MovementFilter(
            till: stock.source.till,
            kinds: isAtCounter ? [.sale] : Movement.Kind.allCases.filter { $0 != .opening },
            times: (now - 172_800_000)..<Int64.max, isLatestFirst: true, pageSize: 1)
        var last: Movement?
        try await stock.eachMovementPage(filter) { page in
            last = page.movements.first
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
        var reservation = Reservation(id: "", name: reserve.name, quantity: reserve.count, until: reserve.until)
        let stored = try await record(for: code, isSale: true)
        let record = try await changed([stored.record.sku], [stored], ifUnknown: repetition) { current in
            var record = current[0].record
            let available = record.available(on: day)
            guard available >= reserve.count else {
                throw CommandFailure(
                    .conflict,
                    "there are not enough copies of \(record.sku.text): \(record.quantity) in stock, \(available) "
                        + "available, \(reserve.count) wanted")
            }
            var movement = source.movement(1, of: record.sku, .reservation, reserve.count)
            reservation.id = movement.id
            movement.reservation = reservation
            movement.reason = reservation.text
            record.reserve(by: movement)
            return [.change(current[0], to: record, [movement])]
        }[0].record
        try printChange(
            record,
            "Reserved \(reserve.count) of \(record.sku.text) \(reservation.text); \(record.available(on: day)) of "
                + "\(record.quantity) available.")
    }

    /// Lists the copies that are put aside today.
    func reservations() async throws -> ExitCode {
        var printer = RowPrinter(
            on: console, asJSON: printsJSON,
            table: Table([
                Table.Column("SKU", staysWhole: true), Table.Column("artist", leaves: 1), Table.Column("title"),
                Table.Column("copies", isNumeric: true), Table.Column("for"),
                Table.Column("until", staysWhole: true, leaves: 2),
            ]))
        let day = stock.source.now().day
        do {
            let unreadable = try await eachPage { page in
                for record in page.lazy.map(\.record) {
                    for reservation in record.reservations where reservation.stands(on: day) {
                        try printer.print(printer.text(of: reservation, in: record))
                    }
                }
                return true
            }
            try printer.finish()
            if printer.count == 0 { console.note("No copies are reserved.") }
            return unreadable.isEmpty ? .done : .partlyDone
        } catch InventoryError.noShop {
            reportMissingShop("No copies are reserved")
            try printer.finish()
            return .done
        }
    }

    func release(_ code: SKU, _ name: String?, _ id: String?) async throws {
        try await makeOnce(id, .release, [code]) { runner in try await runner.released(code, name) }
    }

    private func released(_ code: SKU, _ name: String?) async throws {
        let source = stock.source
        let stored = try await record(for: code, isSale: true)
        var count = 0
        let record = try await changed([stored.record.sku], [stored], ifUnknown: repetition) { current in
            var record = current[0].record
            let freed = record.reservations.filter { $0.name == name ?? $0.name }
            guard !freed.isEmpty else {
                let whom = name.map { " for \($0)" } ?? ""
                throw CommandFailure(.notFound, "no copy of \(record.sku.text) is reserved\(whom)")
            }
            count = freed.map(\.quantity).reduce(0, +)
            let movements = freed.enumerated().map { index, reservation in
                var movement = source.release(index + 1, of: record.sku, reservation)
                movement.reason = "for \(reservation.name)"
                return movement
            }
            for movement in movements { record.reserve(by: movement) }
            return [.change(current[0], to: record, movements)]
        }[0].record
        try printChange(
            record,
            "Released \(count) of \(record.sku.text); \(record.available(on: source.now().day)) of \(record.quantity) "
                + "available.")
    }
}

extension RowPrinter {
    fileprivate func text(of reservation: Reservation, in record: Record) -> String {
        let cells = [
            record.sku.text, record.artist, record.title, String(reservation.quantity), reservation.name,
            reservation.until?.description,
        ]
        let sku = JSONObject.Member(name: "sku", value: .string(record.sku.text))
        return text(
            cells: cells, fields: cells,
            json: .object(JSONObject([sku] + (reservation.json.object?.members ?? []))))
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
            case .release: .reservation
            default: original.kind
            }
        var movement = movement(number, of: original.sku, kind, -original.quantity)
        movement.price = original.price
        movement.discount = original.discount
        movement.payment = original.payment
        movement.cost = original.cost
        movement.reservation = original.reservation
        movement.undoes = original.id
        return movement
    }
}
