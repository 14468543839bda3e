import RecordKitJSON

/// Counts a record, or the copies of a shelf.
struct CountCommand: Command {
    enum Target: Equatable, Sendable {
        /// Sets the quantity of a record to what was counted.
        case record(SKU, Int)
        /// Counts the copies of a location, scanned one by one.
        case shelf(String, isConfirmed: Bool)
    }

    let target: Target
    var reason: String?

    static let usage = CommandUsage(
        name: "count", operands: CommandUsage.Operands("[SKU N]", .sku, count: 0...2),
        summary: "count a record, or a shelf",
        explanation: """
            Sets the quantity of a record to N. With --location, reads the barcode or SKU of each copy on a shelf, line
            by line until the end, or until an empty line at a terminal; 3 x SKU counts three. Shows the differences,
            and asks before it changes anything. --commit requires at least one copy, and changes nothing if it does not
            understand a line: then it names the lines, and the exit code is 7. Leaves a record that was sold meanwhile,
            and names it.
            """,
        options: [
            Option("--location", .shelf, help: "count the copies of PLACE, scanned one by one"),
            Option("--commit", help: "take the counted quantities without asking"), .reason, .dryRun,
            .fields(of: Record.fieldNames + ["counted", "difference"]),
        ],
        rules: [.excludes(["SKU"], ["--location"], ": the copies of a place are scanned")],
        examples: ["count LP-0042 3", "count --location A-12"])

    var fieldNames: [String] {
        if case .shelf = target { Counted.fieldNames } else { Record.fieldNames }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        switch target {
        case .record(let code, let count): try await self.count(code, count, in: context)
        case .shelf(let location, let isConfirmed):
            try await ShelfCount(context: context, location: location, reason: reason).run(isConfirmed)
        }
    }

    private func count(_ code: SKU, _ count: Int, in context: CommandContext) async throws -> ExitCode {
        let advice = "Or type the same count again: what was counted is entered once."
        return try await context.once(CommandIdentity(id: nil, reason: reason, advice: advice)) { context in
            let (before, record, movements) = try await context.changeOne(code) { stored in
                let difference = count - stored.record.quantity
                if difference == 0 { return nil }
                let movement = context.stock.source.movement(1, of: stored.record.sku, .count, difference)
                return .change(stored, to: try stored.record.moved(by: difference), [movement])
            }
            context.reporter.reportReserved(record, before: before)
            try context.reporter.report(
                record,
                movements.isEmpty
                    ? "\(record.sku.text) has \(count) in stock, as counted."
                    : "Counted \(count) of \(record.sku.text), in place of \(before.quantity).")
        }
    }
}

extension CountCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        reason = arguments.value("--reason")
        let operands = arguments.operands
        if let location = arguments.value("--location") {
            target = .shelf(location, isConfirmed: arguments.has("--commit"))
            return
        }
        guard operands.count == 2 else {
            throw UsageError("count requires a SKU and the number of copies, or --location PLACE")
        }
        guard let number = Int(operands[1]), Record.quantities.contains(number) else {
            throw UsageError(
                "count requires a whole number from 0 to \(Record.quantities.upperBound); not \"\(operands[1].shown)\"")
        }
        target = .record(try arguments.sku(), number)
    }
}

/// The copies on a shelf, scanned one by one.
private struct ShelfCount {
    let context: CommandContext
    let location: String
    let reason: String?

    private var stock: Stock { context.stock }
    private var console: Console { context.console }

    /// Counts, and shows the differences before anything is changed.
    func run(_ isConfirmed: Bool) async throws -> ExitCode {
        var shelf: [String: Counted] = [:]
        let condition = ListCommand.Condition(field: .location, comparison: .equal, value: .text(location))
        let filter = RecordFilter(conditions: [condition.onServer].compactMap(\.self))
        try await context.eachPage(filter, orFail: "nothing can be counted") { page in
            for stored in page where condition.accepts(stored.record) {
                shelf[stored.record.sku.text] = Counted(stored: stored)
            }
            return true
        }
        let expected = shelf.values.map(\.stored.record.quantity).reduce(0, &+)
        console.note(
            "\(location): \(expected.counted("copy", "copies")) of \(shelf.count.counted("record")) expected. "
                + "Scan each copy"
                + (console.input.isTerminal ? "; an empty line ends the count." : "."))
        let unknown = try await scan(&shelf)
        let all = shelf.values.sorted { $0.stored.record.sku < $1.stored.record.sku }
        let differences = all.filter { $0.difference != 0 }
        try context.reporter.print(differences)
        let counted = all.map(\.count).reduce(0, +)
        let copies = counted.counted("copy", "copies")
        if differences.isEmpty {
            console.note("\(copies) counted, as expected.")
            return unknown.isEmpty ? .done : .partlyDone
        }
        console.note("\(copies) counted, \(expected) expected; \(differences.count.counted("difference")).")
        guard counted > 0 || !isConfirmed else {
            throw CommandFailure(
                .failed,
                "nothing was counted, so nothing was changed; if the shelf is empty, type `count SKU 0` for each record"
            )
        }
        if context.isDryRun {
            console.note("Nothing was written.")
            return unknown.isEmpty ? .done : .partlyDone
        }
        if isConfirmed, !unknown.isEmpty {
            let lines = unknown.prefix(20).map { "\"\($0.shown)\"" }.joined(separator: ", ")
            console.complain(
                "nothing was changed, because \(unknown.count.counted("line")) could not be counted: \(lines)")
            return .partlyDone
        }
        guard isConfirmed || console.canAsk else {
            throw CommandFailure(
                .failed,
                "nothing was changed: count asks only at a terminal; give --commit to take the counted quantities")
        }
        guard try isConfirmed || context.confirm("Take the counted quantities?", orNote: "Nothing was changed.") else {
            return .failed
        }
        try await commit(differences)
        return unknown.isEmpty ? .done : .partlyDone
    }

    /// Counts scanned copies. Returns the lines whose record is not known.
    private func scan(_ shelf: inout [String: Counted]) async throws -> [String] {
        var unknown: [String] = []
        var isTooLong = false
        while let line = try console.nextScan(&isTooLong)?.trimmed {
            if isTooLong { unknown.append("…") }
            isTooLong = false
            if line.isEmpty {
                // In a pipe, an empty line may be a gap. What follows must not be taken for missing.
                if console.input.isTerminal { break }
                continue
            }
            do {
                let (record, count) = try await record(line, on: shelf)
                guard shelf[record.sku.text] != nil else {
                    let place = record.location.map { "belongs to \($0.printable)" } ?? "has no location"
                    context.reporter.complain("\"\(line.shown)\" was not counted: \(record.name), \(place)")
                    continue
                }
                shelf[record.sku.text]?.count += count
                let text = "\(record.name): \(shelf[record.sku.text]?.count ?? 0)"
                if console.canAsk { console.note(text) } else { console.detail(text) }
            } catch {
                unknown.append(line)
                console.complain("\"\(line.shown)\" was not counted: \(try context.failure(of: error).message)")
            }
        }
        return isTooLong ? unknown + ["…"] : unknown
    }

    /// Returns the record with a scanned SKU or barcode, and how many copies were scanned: `3 x LP-1`. Of several with
    /// the barcode, returns the one of the shelf.
    private func record(_ line: String, on shelf: [String: Counted]) async throws -> (Record, count: Int) {
        if let known = shelf[line]?.stored.record { return (known, 1) }
        let (count, text) = line.copies ?? (1, line)
        let code: SKU
        do { code = try SKU(text) } catch {
            throw CommandFailure(.badData, error.reason)
        }
        guard Record.quantities.contains(count), count > 0 else {
            throw CommandFailure(.badData, "a number of copies from 1 on")
        }
        if let known = shelf[code.text]?.stored.record { return (known, count) }
        do {
            return (try await context.look(at: [code]).record(for: code, isSale: false).record, count)
        } catch let error as AmbiguousBarcode {
            let here = error.records.filter { shelf[$0.sku.text] != nil }
            guard here.count == 1 else { throw error }
            return (here[0], count)
        }
    }

    /// Sets the counted quantities. Leaves a record that was changed meanwhile.
    private func commit(_ differences: [Counted]) async throws {
        var source = stock.source.numbered
        source.reason = reason
        let counted = Dictionary(uniqueKeysWithValues: differences.map { ($0.stored.record.sku, $0) })
        var open = Set(counted.keys)
        var work = BulkWork(
            "Counting", of: counted.count, in: context, done: "set as counted", again: "count the shelf again",
            printsRows: false)
        try await work.run { made in
            try await stock.changeEach(counted.keys.sorted(), size: 2, kinds: []) { look in
                guard let stored = look.stored, let counted = counted[stored.record.sku],
                    counted.stored.version == stored.version
                else { return nil }
                let movement = source.movement(nil, of: stored.record.sku, .count, counted.difference)
                return .change(stored, to: try stored.record.moved(by: counted.difference), [movement])
            } made: { changes in
                open.subtract(changes.map(\.sku))
                made(changes)
            }
        }
        console.note("\(work.count.counted("quantity", "quantities")) set as counted.")
        for sku in open.sorted() {
            context.reporter.complain("\(sku.text) was changed while you counted; count it again")
        }
    }
}

/// A record of a shelf, with the copies that were counted.
private struct Counted: Row {
    let stored: StoredRecord
    var count = 0

    var difference: Int { count - stored.record.quantity }

    static let fields: [RowColumn<Counted>] = [
        RowColumn("sku", "SKU", staysWhole: true) { $0.stored.record.sku.text },
        RowColumn("artist", leaves: 1) { $0.stored.record.artist },
        RowColumn("title", leaves: 3) { $0.stored.record.title },
        RowColumn("quantity", "in stock", isNumeric: true, leaves: 2) { String($0.stored.record.quantity) },
        RowColumn("counted", isNumeric: true) { String($0.count) },
        RowColumn("difference", isNumeric: true) { String($0.difference) },
    ]

    var printedJSON: JSONValue {
        [
            "sku": .string(stored.record.sku.text), "quantity": JSONValue(stored.record.quantity),
            "counted": JSONValue(count), "difference": JSONValue(difference),
        ]
    }
}
