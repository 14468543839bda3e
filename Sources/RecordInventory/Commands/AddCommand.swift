/// Adds one record.
struct AddCommand: Command {
    let changes: [FieldChange]
    /// Whether MusicBrainz knows what is missing.
    var looksUp = false
    /// The id of the command, which adds a record once.
    var id: String?

    static let usage = CommandUsage(
        name: "add", synonyms: ["new", "create"],
        required: "--artist TEXT --title TEXT --price AMOUNT [--currency CODE]", summary: "add one record",
        explanation: """
            Adds one record and prints its SKU. If the SKU exists, the exit code is 5. The currency of the config is
            taken if none is given.

            With --lookup, asks MusicBrainz for the barcode, and fills artist, title, label and year where they are not
            given, after a question: see lookup.
            """,
        options: Option.fields() + [
            Option("--lookup", help: "look up the barcode at MusicBrainz"), .id, .dryRun, .recordFields,
        ],
        rules: [.needs(["--lookup"], "--barcode", " N")],
        examples: [
            "add --artist 'Miles Davis' --title 'Kind of Blue' --price 18.50 --currency EUR --media-condition VG+",
            "add --barcode 0075992703826 --lookup --price 18.50 --currency EUR",
        ], worksWithoutStore: true)

    func run(in context: CommandContext) async throws -> ExitCode {
        if let id {
            guard try await context.stock.movements(.made(by: id)).isEmpty else {
                let identity = CommandIdentity(id: id, kinds: [.opening], codes: code.map { [$0] } ?? [])
                try await context.reportMade(id, identity)
                return .done
            }
            try await context.checkDrawer(id)
        }
        var exitCode = ExitCode.done
        _ = try await context.once(CommandIdentity(id: id)) { exitCode = try await add(in: $0) }
        return exitCode
    }

    private var code: SKU? {
        changes.first { $0.field == .sku }?.text.flatMap { try? SKU(typed: $0) }
    }

    private func add(in context: CommandContext) async throws -> ExitCode {
        var draft = RecordDraft()
        try draft.apply(changes)
        if looksUp, let barcode = draft.values.barcode {
            guard let release = try await context.chosenRelease(barcode) else {
                context.console.note("Nothing was added.")
                return .failed
            }
            let given = Set(changes.map(\.field))
            let found: [(RecordField, String?)] = [
                (.artist, release.artist), (.title, release.title), (.label, release.label),
                (.year, release.year.map { "\($0)" }),
            ]
            // What a record cannot have stays empty.
            for (field, text) in found where !given.contains(field) { try? draft.set(field, to: text) }
        }
        if draft.currency == nil {
            guard let currency = context.settings?.currency else {
                throw UsageError("add also requires --currency")
            }
            try draft.set(.currency, to: currency.code)
        }
        let isNamed = draft.sku != nil
        var generator = SystemRandomNumberGenerator()
        if !isNamed { try draft.set(.sku, to: SKU.random(using: &generator).text) }
        let record = try draft.checked(changes)
        if context.isDryRun {
            guard try await context.stock.find(record.sku) == nil else { throw Self.exists(record.sku) }
            try context.reporter.reportDryRun("added: \(record.name)", record)
            return .done
        }
        do {
            let added = try await context.stock.create(record).record
            try context.reporter.report("Added \(added.sku.text).", undo: context.stock.source.command) {
                if context.reporter.output.isChosen {
                    try context.reporter.print(added)
                } else {
                    try context.console.print(added.sku.text.escapedForTabs)
                }
            }
            return .done
        } catch InventoryError.conflict {
            // There are over 10¹¹ random SKUs.
            guard isNamed else {
                throw CommandFailure(.conflict, "the new SKU \(record.sku.text) is taken; type it again")
            }
            throw Self.exists(record.sku)
        }
    }

    private static func exists(_ sku: SKU) -> CommandFailure {
        CommandFailure(.conflict, "\(sku.text) exists already; change it with `edit`")
    }
}

extension AddCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        changes = try arguments.fields()
        let given = Set(changes.map(\.field))
        looksUp = arguments.has("--lookup")
        id = try arguments.newID()
        let needed: [RecordField] = looksUp ? [.price] : [.artist, .title, .price]
        let missing = needed.filter { !given.contains($0) }
        guard missing.isEmpty else {
            throw UsageError("add also requires \(missing.map(\.optionName).joined(separator: ", "))")
        }
    }
}
