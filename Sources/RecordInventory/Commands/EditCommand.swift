/// Changes fields of a record, or of all that match.
struct EditCommand: Command {
    /// The record, or `nil` for all that match.
    let code: SKU?
    let changes: [FieldChange]
    /// The change of the price, if it goes by the old one.
    var priceChange: PriceChange?
    /// The conditions of all that match.
    var list: ListCommand?
    var isConfirmed = false
    /// The id of the command, which changes a record once.
    var id: String?

    static let usage = CommandUsage(
        name: "edit", synonyms: ["change", "set"],
        operands: CommandUsage.Operands("[SKU]", .sku, count: 0...1),
        summary: "change fields of a record, or of all that match",
        explanation: """
            Changes the given fields and leaves the others as they are. If the quantity changes and no status is given,
            the status follows as with sell and restock. A record that becomes sold has no copies left.

            A price that begins with + or - is a change of the old one: +10%, -5%, +1.00. It is rounded to the minor
            unit, a half up. --round 0.50 takes the next multiple in the direction of the change, --round x.99 the next
            amount with that ending. A price of 0 stays. A record whose price would become 0 is left and named; then the
            exit code is 7.

            With --where, changes all records that match, as list shows them. Shows the first of them, and asks;
            requires --yes without a terminal. If it is interrupted, the same command goes on with the others; with the
            same --id it changes no record twice. The history keeps the old values, and `undo ID` puts them back.
            """,
        options: Option.fields(except: [.sku]) + BulkChange.options + [
            Option(
                "--round", .amount, help: "round a price that was changed with + or -: 0.50, or x.99 for that ending"),
            Option("--clear", .field, repeats: true, help: "remove the value of the field"), .dryRun,
            .recordFields,
        ],
        rules: [.oneOrMatching, .needs(["--yes"], "--where", ": it asks nothing of one record")],
        examples: [
            "edit LP-0042 --price 16 --location A-12", "edit LP-0042 --clear notes",
            "edit --where location=A-12 --location B-1",
            "edit --where genre=Jazz --price +10% --round x.99",
        ])

    func run(in context: CommandContext) async throws -> ExitCode {
        guard let code else {
            return try await BulkChange(
                context: context, list: list ?? ListCommand(), isConfirmed: isConfirmed,
                id: id, goesByOldValues: priceChange != nil, edit: edited
            ).run()
        }
        let identity = CommandIdentity(id: id, kinds: [.edit, .correction], codes: [code])
        return try await context.once(identity) { try await edit(code, in: $0) }
    }

    private func edit(_ code: SKU, in context: CommandContext) async throws {
        let (before, record, _) = try await context.changeOne(code) { stored in
            let new: Record
            do { new = try edited(stored.record) } catch let error as RecordRefused {
                throw UsageError(error.reason)
            }
            if new == stored.record { return nil }
            return .change(stored, to: new, [context.stock.source.correction(1, from: stored.record, to: new)])
        }
        let sku = record.sku
        context.reporter.reportReserved(record, before: before)
        let differences = FieldDifference.all(from: before, to: record)
        if context.isDryRun {
            let fields = differences.map(\.text).joined(separator: "; ")
            return try context.reporter.reportDryRun(
                "changed: \(sku.text): \(fields.isEmpty ? "nothing" : fields)", record)
        }
        try context.reporter.report(
            record,
            differences.isEmpty
                ? "Nothing was changed: \(sku.text) is like that already." : "\(sku.text) is changed.",
            undo: differences.isEmpty ? nil : context.stock.source.command)
    }

    private func edited(_ record: Record) throws -> Record {
        try checkCurrency(of: record)
        var changes = changes
        if let priceChange {
            let price: Money
            do throws(InvalidValue) { price = try priceChange.applied(to: record.price) } catch {
                throw RecordRefused(reason: "--price \"\(priceChange.text.shown)\": \(error.reason)")
            }
            changes.append(FieldChange(field: .price, text: price.decimalText))
        }
        var draft = RecordDraft(record)
        try draft.apply(changes)
        return record.taking(Set(changes.map(\.field)), from: try draft.checked(changes))
    }

    /// Throws if a new currency alone would change what the price or the cost is worth.
    private func checkCurrency(of record: Record) throws {
        guard let code = changes.first(where: { $0.field == .currency })?.text, let currency = try? Currency(code),
            currency != record.price.currency
        else { return }
        for field in [RecordField.price, .cost] where !changes.contains(where: { $0.field == field }) {
            guard let amount = field.text(of: record), field == .cost || record.price.amount != 0 else { continue }
            throw UsageError(
                "--currency \(currency.code) alone would make \(amount) \(currency.code) of \(amount) "
                    + "\(record.price.currency.code); give the new \(field.rawValue) too: \(field.optionName) AMOUNT"
                    + (field == .cost ? " or --clear cost" : " --currency \(currency.code)"))
        }
    }
}

extension EditCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        (code, list) = try arguments.target(of: Self.usage)
        isConfirmed = arguments.has("--yes")
        id = try arguments.newID()
        if let price = arguments.value("--price"), price.trimmed.hasSuffix("%"), !PriceChange.isChange(price) {
            throw UsageError(
                "--price \"\(price.shown)\": a percentage is a change; write +\(price.shown) or -\(price.shown)")
        }
        let price = arguments.value("--price").flatMap { PriceChange.isChange($0) ? $0 : nil }
        var changes = try arguments.fields(except: price == nil ? [] : [.price])
        if let price {
            let change = try price.parsed(as: "--price", PriceChange.init)
            priceChange = try arguments.value("--round")?.parsed(as: "--round", change.rounded) ?? change
            if changes.contains(where: { $0.field == .currency }) {
                throw UsageError("--price \(price.shown) is in the currency of the record; leave out --currency")
            }
        } else if arguments.has("--round") {
            throw UsageError("--round requires a price that goes by the old one, such as --price +10%")
        }
        for name in arguments.values("--clear") {
            let field = try RecordField(typed: name)
            guard !field.isRequired else {
                throw UsageError("\(field.rawValue) cannot be cleared: every record has one")
            }
            if let change = changes.first(where: { $0.field == field }) {
                throw UsageError(
                    change.text == nil
                        ? "--clear \(field.rawValue) is given twice"
                        : "\(field.optionName) and --clear \(field.rawValue) contradict each other")
            }
            changes.append(FieldChange(field: field, text: nil))
        }
        guard !changes.isEmpty || priceChange != nil else {
            throw UsageError("edit requires a field to change, such as --location A-12")
        }
        self.changes = changes
    }
}
