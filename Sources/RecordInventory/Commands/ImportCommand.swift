import RecordKitJSON

/// Adds the records of a file.
struct ImportCommand: Command {
    /// The path of the file. `-` is standard input.
    var file: String
    /// The format, or `nil` to guess it from the header.
    var format: ImportFormat?
    var currency: Currency?
    /// The columns of a file of another system: a map, or the name of one.
    var map: String?
    /// The name under which to save the map.
    var mapName: String?
    /// The encoding of the file. `nil` is UTF-8.
    var encoding: TextEncoding?
    var onDuplicate = DuplicatePolicy.skip
    /// Whether a number stands for itself, also where a spreadsheet may have made it of a text.
    var trustsNumbers = false
    /// Whether an update sets quantities. Otherwise it leaves them as they are: copies may have been sold since the
    /// file was written.
    var setsQuantity = false
    /// The id of the command, which changes each record once.
    var id: String?
    /// Whether a row without a SKU gets one that follows from its other fields.
    var makesSKUs = false
    /// What an update does with a blank cell.
    var blank = BlankCells.keep

    /// What an update does with a blank cell: leave the value in stock, or remove it.
    enum BlankCells: String, CaseIterable, Sendable {
        case keep, clear
    }

    static let usage = CommandUsage(
        name: "import", synonyms: ["load"], operands: CommandUsage.Operands("FILE", .file),
        summary: "add the records of a CSV file",
        explanation: """
            Adds the records of a Discogs inventory export or of our own CSV. FILE may be - for standard input. Imports
            the good rows and reports the bad ones by number; the header is row 1. If there are bad rows, the exit code
            is 7.

            A SKU in stock stays as it is, and its row counts as unchanged, unless --on-duplicate says otherwise. An
            update changes only the fields with a column, and a blank cell leaves the value. With --blank clear, a blank
            cell removes it, where a record can be without one. An update leaves quantities as they are: copies may have
            been sold since the file was written. With --set-quantity it sets them too, as corrections in the history;
            then the status follows as with sell and restock unless one is given. A row with the status sold has no
            copies, whatever its quantity. The history keeps the old values: `undo ID` puts them back, and removes the
            records that were added, unless they were sold or reserved since. The same import with the same --id changes
            no record twice.

            An update needs the column of the SKU alone, and no currency: a price without one is in that of the record.
            With --make-skus, a row without a SKU gets one that follows from artist, title, label, catalog number,
            format, barcode and conditions, so that next month's list updates the same records. A second row with the
            same is the second such record.

            A spreadsheet turns the SKU 00042 into 42, and MAR-01 into 01-Mar. So a SKU that is not in stock, but is
            numerically equal to one that is, or is the date of one, counts as a bad row. An update keeps the catalog
            number 0012 although the file has 12, and the title 1/2 although it has 02-Jan. --trust-numbers takes the
            file's, but never a spreadsheet's error such as #NAME?. The apostrophe of '0012, a spreadsheet's mark for
            text, is no part of a SKU, barcode or catalog number. With --dry-run --details, lists each row and each
            field that would change, with --json as one object a line.

            Files of other systems are read with --map MAP, which names the column of each field, and leaves out the
            others. An example is 'sku:Variant SKU,title:Title,artist:Vendor,price:Variant Price,currency=EUR'. Each
            entry is a field, a colon and the heading of its column, or a field, = and a value for all rows. A heading
            with a comma is quoted as in CSV, such as 'barcode:"GTIN, UPC"'. A field with several columns takes the
            first that is not empty, then its value. A heading with * stands for all that begin and end so, such as
            'quantity:Stock *'; their quantities are added. A column that has both, as in 'artist:Name,title:Name', is
            divided at the first hyphen between spaces; an update leaves what was divided so. An option keeps the map:
            with --save-map NAME, the next import can give --map NAME.

            The maps \(ShopSystem.mapNames.joined(separator: ", ")) come with the tool, and need a currency. Entries
            after a name replace those of that map, as in 'square,artist=Various'. The records of discogs-collection,
            which has no prices, become drafts with the price 0. Of woocommerce, a variable product is left out: its
            variations have its name, and prices of their own. The regular price counts, unless the map is
            'woocommerce,price:Sale price,price:Regular price'.

            Columns of our own CSV, in any order. A new record requires sku, artist, title and price, and currency
            unless --currency is given:
            \(HelpText.fields)
            """,
        options: [
            Option(
                "--from", .choice("FORMAT", ImportFormat.allCases.map(\.rawValue)),
                help: "discogs or csv (default: guessed from the header)"),
            Option(
                "--currency", .currency,
                help: "for prices that name no currency, as in every Discogs export (or the config's)"),
            Option(
                "--on-duplicate", .choice("POLICY", DuplicatePolicy.allCases.map(\.rawValue)),
                help: "skip, update or fail, for a SKU in stock (default: skip)"),
            Option(
                "--blank", .choice("WHAT", BlankCells.allCases.map(\.rawValue)),
                help: "keep or clear, what an update does with the value of a blank cell (default: keep)"),
            Option("--make-skus", help: "make the SKU of a row that has none from what the record is"),
            Option("--set-quantity", help: "let an update set quantities; otherwise they stay as they are"),
            Option(
                "--trust-numbers",
                help: "take numbers that a spreadsheet may have made of texts, such as 42 of 00042"),
            Option(
                "--map", .choice("MAP", ShopSystem.mapNames),
                help: "the columns of a file of another system: FIELD:HEADING,…, or the name of a map"),
            Option("--save-map", .name, help: "keep this map under a name"),
            Option(
                "--encoding", .choice("NAME", ["windows-1252", "cp1251", "cp850", "macintosh", "utf-16"]),
                help: "the encoding of the file (default: UTF-8)"),
            Option("--details", help: "with --dry-run: list each row, and each field that would change"), .id, .dryRun,
        ],
        rules: [
            .needs(
                ["--set-quantity", "--blank clear"], "--on-duplicate update", ": nothing else changes a record in stock"
            ),
            .excludes(["--map"], ["--from"]), .needs(["--save-map"], "--map", ", the map to save"),
            .excludes(["--password-stdin"], ["-"], ": both read standard input"),
        ],
        examples: [
            "import inventory.csv --currency EUR --dry-run", "import stock.csv --on-duplicate update --json",
            "import products.csv --map shopify --currency EUR --dry-run --details",
            "import list.csv --map 'sku:Item,artist:Band,title:Album,price:Price,currency=EUR' --save-map wholesaler",
            "import -",
        ], worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        file = arguments.operands.first ?? ""
        format = try arguments.choice("--from")
        onDuplicate = try arguments.choice("--on-duplicate") ?? .skip
        trustsNumbers = arguments.has("--trust-numbers")
        setsQuantity = arguments.has("--set-quantity")
        blank = try arguments.choice("--blank") ?? .keep
        currency = try arguments.value("--currency")?.parsed(as: "--currency", Currency.init(typed:))
        map = arguments.value("--map")
        _ = try map?.parsed(as: "--map") { text throws(InvalidValue) in
            // The names of saved maps are known later.
            try ColumnMap(text) { _ in ShopSystem.shopify.map ?? ColumnMap() }
        }
        mapName = arguments.value("--save-map")
        try mapName?.parsed(as: "--save-map", SavedMaps.check)
        makesSKUs = arguments.has("--make-skus")
        id = try arguments.newID()
        encoding = try arguments.value("--encoding")?.parsed(as: "--encoding", TextEncoding.init)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let id = id ?? MovementSource.newCommand(on: context.today)
        return try await FileImport(context: context, command: self, id: id).run()
    }
}

/// The import of a file, row by row and batch by batch.
private struct FileImport {
    let context: CommandContext
    let command: ImportCommand
    /// The id of the command.
    let id: String

    private var console: Console { context.console }
    private var isDryRun: Bool { context.isDryRun }

    /// Reads a file row by row and writes it batch by batch. Written rows stay after an error. The same import can be
    /// run again to finish.
    func run() async throws -> ExitCode {
        var summary = ImportSummary()
        do {
            try await context.work("Importing") {
                reportBreak(summary, $0)
            } _: { progress in
                try await importRows(&summary, progress)
            }
        } catch let error as ImportError {
            try Task.checkCancellation()
            throw CommandFailure(error.exitCode, "\(error)")
        }
        for note in summary.notes { console.note(note) }
        if isDryRun {
            try print(summary, "Nothing was written. It would be: ")
        } else {
            try context.reporter.printResultsOfChange(summary.text) { try print(summary) }
            if summary.created + summary.updated > 0 { console.note("Undo with: record-inventory undo \(id)") }
        }
        return .done
    }

    private func importRows(_ summary: inout ImportSummary, _ progress: ProgressBar) async throws {
        var reader = try openFile()
        var stock = context.stock
        stock.source.command = id
        stock.source.isNewCommand = command.id == nil
        stock.source.isImport = true
        try await context.checkID(command.id, [.opening, .edit, .correction], isImport: true)
        if isDryRun {
            try await context.eachPage(RecordFilter(pageSize: 1), orNote: "Nothing is in stock") { _ in false }
        }
        var writer = ImportWriter(
            stock: stock, policy: command.onDuplicate, setsQuantity: command.setsQuantity,
            listsRows: context.options.has("--details"))
        var numbers = StockNumbers(stock: stock)
        let batchSize = isDryRun ? 1_000 : try await stock.batchLimit()
        while var batch = try nextBatch(of: batchSize, &reader, &summary) {
            if reader.format == .discogs { reject(try await writer.rejectRenamed(&batch), &summary) }
            if !command.trustsNumbers { reject(try await numbers.rejectSimilar(&batch), &summary) }
            try await write(batch, writer, &summary)
            progress.update(summary.accepted + summary.rejected.count, fraction: reader.fractionRead)
        }
        if reader.reduced > 0 {
            console.note(
                "\(reader.reduced.counted("row has", "rows have")) another sale price; the regular one was taken. Put "
                    + "the column of the sale price first in the map to take that: price:HEADING.")
        }
        if reader.parents > 0 {
            console.note(
                "\(reader.parents.counted("variable product was", "variable products were")) left out: the variations "
                    + "have the prices, in rows of their own.")
        }
    }

    /// Reads the heading of the file, and keeps the map.
    private func openFile() throws -> ImportReader {
        let maps = SavedMaps(config: context.settings?.config)
        let map = try command.map?.parsed(as: "--map", maps.map)
        let isUpdate = command.onDuplicate == .update
        let options = ImportOptions(
            format: command.format, currency: command.currency, usualCurrency: context.settings?.currency, map: map,
            isUpdate: isUpdate, blankClears: command.blank == .clear, makesSKUs: command.makesSKUs)
        let reader = try ImportReader(InputFile(command.file, encoding: command.encoding), options)
        if isUpdate, !command.setsQuantity, reader.fields.subtracting([.sku]) == [.quantity] {
            throw UsageError(
                "the file has quantities alone, and an update leaves them as they are; --set-quantity takes the file's")
        }
        if reader.headingRow > 1 {
            console.note("Row \(reader.headingRow) names the columns; what is above it is left out.")
        }
        if let text = command.map, let name = command.mapName {
            if isDryRun {
                console.note("The map \(name.printable) was not kept, since this is a dry run.")
            } else {
                try maps.save(text, as: name)
            }
        }
        if reader.system == .bandcamp, map?.columns.contains(where: { $0.field == .quantity }) == true {
            console.note("This looks like \(ShopSystem.bandcamp.title); quantity=0 in the map takes none of them.")
        }
        if reader.system == .shopify, !reader.fields.contains(.quantity) {
            console.note(
                "This product export has no quantities, as that of a Shopify shop with several locations; Shopify's "
                    + "export of the inventory has them.")
        }
        return reader
    }

    /// Returns the next good rows, and reports the bad ones between them. `nil` at the end of the file.
    private func nextBatch(
        of size: Int, _ reader: inout ImportReader, _ summary: inout ImportSummary
    ) throws -> [ImportRow]? {
        var batch: [ImportRow] = []
        while batch.count < size {
            try Task.checkCancellation()
            guard let row = try reader.next() else { return batch.isEmpty ? nil : batch }
            switch row {
            case .success(var row):
                row.trustsNumbers = command.trustsNumbers
                for note in row.notes { console.note("row \(row.number): \(note)") }
                batch.append(row)
            case .failure(let error): reject([error], &summary)
            }
        }
        return batch
    }

    /// Writes a batch and reports its rejected rows, also if it ends with an error.
    private func write(
        _ batch: [ImportRow], _ writer: ImportWriter, _ summary: inout ImportSummary
    ) async throws {
        let known = summary.rejected.count
        defer {
            for error in summary.rejected[known...] { context.reporter.complain(error.description) }
            for (record, before) in summary.lowered { context.reporter.reportReserved(record, before: before) }
            summary.lowered = []
        }
        try await writer.write(batch, &summary)
        for preview in summary.previews {
            if context.reporter.printsJSON {
                try console.print(json: preview.json.text())
            } else {
                try console.print(preview.text)
            }
        }
        summary.previews = []
    }

    private func reject(_ errors: [RowError], _ summary: inout ImportSummary) {
        summary.rejected += errors
        for error in errors { context.reporter.complain(error.description) }
    }

    private func print(_ summary: ImportSummary, _ introduction: String = "") throws {
        if context.reporter.printsJSON {
            try context.reporter.print(summary.json)
        } else {
            try console.print(introduction + summary.text)
        }
    }

    /// Reports what was done by an import that ended early.
    private func reportBreak(_ summary: ImportSummary, _ error: any Error) {
        for note in summary.notes { console.note(note) }
        let isUnknown = if case .unanswered? = error as? InventoryError { true } else { false }
        guard summary.accepted > 0 || isUnknown else { return }
        console.complain(
            isDryRun
                ? "nothing was written, and the dry run was not finished; so far it would be: \(summary.text)"
                : "the import was not finished: \(summary.text) so far; import the file again with --id \(id)")
    }
}

extension ImportError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .noCurrency, .map: .usage
        case .unreadable, .temporaryFile: .failed
        default: .badData
        }
    }
}
