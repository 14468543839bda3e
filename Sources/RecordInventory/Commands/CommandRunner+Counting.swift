// Counting the stock.
extension CommandRunner {
    /// Sets the quantity of a record to what was counted.
    func count(_ code: SKU, _ count: Int, _ reason: String?) async throws {
        var runner = self
        runner.stock.source.command = MovementSource.newCommand(on: stock.source.now().day)
        runner.stock.source.reason = reason
        let source = runner.stock.source
        let stored = try await record(for: code, isSale: false)
        var before = stored.record.quantity
        let advice = "Or type the same count again: what was counted is entered once."
        let record = try await runner.changed([stored.record.sku], [stored], ifUnknown: advice) { current in
            before = current[0].record.quantity
            let difference = count - before
            if difference == 0 { return [] }
            let record = try current[0].record.moved(by: difference)
            return [.change(current[0], to: record, [source.movement(1, of: record.sku, .count, difference)])]
        }[0].record
        try printChange(
            record,
            count == before
                ? "\(record.sku.text) has \(count) in stock, as counted."
                : "Counted \(count) of \(record.sku.text), in place of \(before).")
    }

    private struct Counted {
        let stored: StoredRecord
        var count = 0

        var difference: Int { count - stored.record.quantity }
    }

    /// Counts the copies of a location, scanned one by one, and shows the differences before anything is changed.
    func countShelf(_ location: String, _ confirmed: Bool, _ reason: String?) async throws -> ExitCode {
        var shelf: [String: Counted] = [:]
        let condition = Command.Condition(field: .location, comparison: .equal, value: .text(location)).onServer
        do {
            _ = try await eachPage(RecordFilter(conditions: [condition].compactMap(\.self))) { page in
                for stored in page where stored.record.location == location {
                    shelf[stored.record.sku.text] = Counted(stored: stored)
                }
                return true
            }
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, "nothing can be counted: \(noShop)")
        }
        let expected = shelf.values.map(\.stored.record.quantity).reduce(0, +)
        console.note(
            "\(location): \(expected.counted("copy", "copies")) of \(shelf.count.counted("record")) expected. Scan each copy"
                + (console.input.isTerminal ? "; an empty line ends the count." : "."))
        let strangers = try await scan(&shelf, location)
        let all = shelf.values.sorted { $0.stored.record.sku < $1.stored.record.sku }
        let differences = all.filter { $0.difference != 0 }
        try print(differences)
        let counted = all.map(\.count).reduce(0, +)
        let copies = counted.counted("copy", "copies")
        if differences.isEmpty {
            console.note("\(copies) counted, as expected.")
            return strangers ? .partlyDone : .done
        }
        console.note("\(copies) counted, \(expected) expected; \(differences.count.counted("difference")).")
        guard counted > 0 || !confirmed else {
            throw CommandFailure(
                .failed,
                "nothing was counted, so nothing was changed; if the shelf is empty, type `count SKU 0` for each record"
            )
        }
        if isDryRun {
            console.note("Nothing was written.")
            return strangers ? .partlyDone : .done
        }
        guard confirmed || console.canAsk else {
            throw CommandFailure(
                .failed,
                "nothing was changed: count asks only at a terminal; give --commit to take the counted quantities")
        }
        let isWanted = try confirmed || console.confirm("Take the counted quantities?") == true
        guard isWanted else {
            console.note("Nothing was changed.")
            return .failed
        }
        return try await commit(differences, reason) && !strangers ? .done : .partlyDone
    }

    /// Counts scanned copies. Returns whether some did not belong to the location, were unknown, or could not be read.
    private func scan(_ shelf: inout [String: Counted], _ location: String) async throws -> Bool {
        var hasStrangers = false
        while let line = try console.nextLine()?.trimmed {
            if line.isEmpty {
                // In a pipe, an empty line may be a gap. What follows must not be taken for missing.
                if console.input.isTerminal { break }
                continue
            }
            do {
                let record = try await record(line, on: shelf)
                guard shelf[record.sku.text] != nil else {
                    let place = record.location.map { "belongs to \($0)" } ?? "has no location"
                    throw CommandFailure(
                        .conflict, "\(record.sku.text), \(record.artist): \(record.title), \(place)")
                }
                shelf[record.sku.text]?.count += 1
                let count = "\(record.name): \(shelf[record.sku.text]?.count ?? 0)"
                if console.canAsk { console.note(count) } else { console.detail(count) }
            } catch {
                hasStrangers = true
                console.complain("\"\(line.shown)\" was not counted: \(try failure(ofLine: error).message)")
            }
        }
        return hasStrangers
    }

    /// Returns the record with a scanned SKU or barcode. Of several with the barcode, returns the one of the shelf.
    private func record(_ line: String, on shelf: [String: Counted]) async throws -> Record {
        let code: SKU
        do { code = try SKU(line) } catch {
            throw CommandFailure(.badData, error.reason)
        }
        if let known = shelf[code.text]?.stored.record { return known }
        do {
            return try await record(for: code, isSale: false).record
        } catch let error as AmbiguousBarcode {
            let here = error.records.filter { shelf[$0.sku.text] != nil }
            guard here.count == 1 else { throw error }
            return here[0]
        }
    }

    /// Sets the counted quantities. Leaves a record that was changed meanwhile. Returns whether all were set.
    private func commit(_ differences: [Counted], _ reason: String?) async throws -> Bool {
        var source = stock.source.numbered
        source.reason = reason
        try await stock.checkLedger()
        let size = try await stock.batchLimit()
        var count = 0
        // Also if the rest fails.
        defer { console.note("\(count.counted("quantity", "quantities")) set as counted.") }
        for start in stride(from: 0, to: differences.count, by: size) {
            var open = Array(differences[start..<min(start + size, differences.count)].enumerated())
            var rounds = 0
            while !open.isEmpty {
                rounds += 1
                if rounds > Stock.attempts { throw InventoryError.crowded }
                let changes = try open.map { index, counted -> RecordChange in
                    let record = try counted.stored.record.moved(by: counted.difference)
                    let movement = source.movement(start + index + 1, of: record.sku, .count, counted.difference)
                    return .change(counted.stored, to: record, [movement])
                }
                var again: [EnumeratedSequence<ArraySlice<Counted>>.Element] = []
                var failure: InventoryError?
                for (item, answer) in zip(open, try await stock.send(changes)) {
                    switch answer {
                    case .success: count += 1
                    case .failure(.superseded)
                    where try await stock.find(item.element.stored.record.sku)?.version
                        == item.element.stored.version:
                        again.append(item)
                    case .failure(.conflict), .failure(.superseded), .failure(.notFound):
                        console.complain(
                            "\(item.element.stored.record.sku.text) was changed while you counted; count it again")
                    case .failure(let error): failure = failure ?? error
                    }
                }
                if let failure { throw failure }
                // Another program may have taken the version that the movement needs, and gone.
                try await stock.release(again.map(\.element.stored))
                open = again
            }
        }
        return count == differences.count
    }

    private func print(_ differences: [Counted]) throws {
        if printsJSON {
            let rows = differences.map { counted -> JSONValue in
                [
                    "sku": .string(counted.stored.record.sku.text),
                    "quantity": JSONValue(counted.stored.record.quantity), "counted": JSONValue(counted.count),
                    "difference": JSONValue(counted.difference),
                ]
            }
            return try console.print(json: JSONValue.array(rows).text(pretty: console.results.isTerminal))
        }
        func cells(_ counted: Counted) -> [String] {
            let record = counted.stored.record
            return [record.sku.text, record.artist, record.title]
                + [record.quantity, counted.count, counted.difference].map { String($0) }
        }
        guard console.results.isTerminal else {
            for counted in differences { try console.print(fields: cells(counted)) }
            return
        }
        if differences.isEmpty { return }
        var table = Table(
            [
                Table.Column("SKU", staysWhole: true), Table.Column("artist", leaves: 1),
                Table.Column("title", leaves: 3), Table.Column("in stock", isNumeric: true, leaves: 2),
                Table.Column("counted", isNumeric: true), Table.Column("difference", isNumeric: true),
            ])
        for counted in differences { table.add(cells(counted)) }
        try console.print(table)
    }
}
