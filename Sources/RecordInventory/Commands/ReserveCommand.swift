import RecordKitJSON

/// Puts copies aside for a customer, or lists what is put aside.
struct ReserveCommand: Command {
    /// The record, or `nil` to list the copies that are put aside.
    let code: SKU?
    var name = ""
    var count = 1
    var until: CalendarDay?
    var id: String?

    static let usage = CommandUsage(
        name: "reserve",
        operands: CommandUsage.Operands("[SKU]", .sku, count: 0...1, advice: "; only sell takes several"),
        summary: "put copies aside for a customer, or list them",
        explanation: """
            Puts copies aside. They stay in stock, but are sold only with `sell --for NAME`, until the last day has
            passed or they are released. Accepts a barcode too. Without a SKU, lists what is put aside, and for whom.
            """,
        options: [
            .copies, Option("--for", .name, help: "the customer"),
            Option("--until", .date, help: "the last day: 2026-12-24 (default: no end)"), .id, .dryRun,
            .fields(of: Record.fieldNames + ["name", "until"]),
        ],
        rules: [.needs(["--for", "-n", "--until", "--id", "--dry-run"], "SKU")],
        examples: ["reserve LP-0042 --for 'Ada L.' --until 2026-12-24", "reserve"])

    var fieldNames: [String] { code == nil ? ReservedCopies.fieldNames : Record.fieldNames }

    func run(in context: CommandContext) async throws -> ExitCode {
        guard let code else { return try await list(in: context) }
        let identity = CommandIdentity(id: id, kinds: [.reservation], codes: [code], copies: count)
        return try await context.once(identity) { context in
            if let until, until < context.today {
                throw UsageError("--until \(until) has passed; today is \(context.today)")
            }
            let made = try await context.changeOne(code, isSale: true) { try plan($0, context.stock.source) }
            let record = made.record
            let text = made.movements.first?.reservation?.text ?? ""
            try context.reporter.report(
                record, "Reserved \(count) of \(record.sku.text) \(text); \(record.availability(on: context.today))")
        }
    }

    private func plan(_ stored: StoredRecord, _ source: MovementSource) throws(CommandFailure) -> RecordChange {
        var record = stored.record
        let available = record.available(on: source.now().day)
        guard available >= count else {
            throw CommandFailure(
                .conflict,
                "there are not enough copies of \(record.sku.text): \(record.quantity) in stock, \(available) "
                    + "available, \(count) wanted")
        }
        var movement = source.movement(1, of: record.sku, .reservation, count)
        let reservation = Reservation(id: movement.id, name: name, quantity: count, until: until)
        movement.reservation = reservation
        movement.reason = reservation.text
        record.reserve(by: movement)
        return .change(stored, to: record, [movement])
    }

    /// Lists the copies that are put aside today.
    private func list(in context: CommandContext) async throws -> ExitCode {
        var printer = RowPrinter<ReservedCopies>(on: context.console, context.reporter.output)
        let exists = try await context.eachPage(orNote: "No copies are reserved") { page in
            for record in page.lazy.map(\.record) {
                for reservation in record.reservations where reservation.stands(on: context.today) {
                    try printer.print(ReservedCopies(record: record, reservation: reservation))
                }
            }
            return true
        }
        try printer.finish()
        if exists, printer.count == 0 { context.console.note("No copies are reserved.") }
        return .done
    }
}

extension ReserveCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        guard !arguments.operands.isEmpty else {
            code = nil
            return
        }
        code = try arguments.sku()
        name = arguments.value("--for")?.personName ?? ""
        if name.isEmpty { throw UsageError("reserve requires --for NAME") }
        count = try arguments.copies()
        until = try arguments.day("--until")
        id = try arguments.newID()
    }
}

/// Copies of a record that are put aside.
private struct ReservedCopies: Row {
    let record: Record
    let reservation: Reservation

    static let fields: [RowColumn<ReservedCopies>] = [
        RowColumn("sku", "SKU", staysWhole: true) { $0.record.sku.text },
        RowColumn("artist", leaves: 1) { $0.record.artist }, RowColumn("title") { $0.record.title },
        RowColumn("quantity", "copies", isNumeric: true) { String($0.reservation.quantity) },
        RowColumn("name", "for") { $0.reservation.name },
        RowColumn("until", staysWhole: true, leaves: 2) { $0.reservation.until?.description },
    ]

    var printedJSON: JSONValue {
        let sku = JSONObject.Member(name: "sku", value: .string(record.sku.text))
        return .object(JSONObject([sku] + (reservation.json.object?.members ?? [])))
    }
}
