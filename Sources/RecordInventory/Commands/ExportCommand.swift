/// Writes all records, or those that match, to a CSV file.
struct ExportCommand: Command {
    /// The path of the file. `-` is standard output.
    let path: String
    var forSpreadsheet = false
    var replaces = false
    /// The conditions of the records to write.
    var list = ListCommand()

    static let usage = CommandUsage(
        name: "export", operands: CommandUsage.Operands("FILE", .file, count: 0...1),
        summary: "write records to a CSV file",
        explanation: """
            Writes all records as CSV, or those that match as list shows them; import reads the file. An older file is
            replaced after a question on a terminal, or with --replace. FILE may be - for standard output. Reports
            records of other programs that import would refuse; then the exit code is 7.

            With --spreadsheet, writes texts that a spreadsheet would change or run as formulas such as ="00042", which
            import reads back, whether the spreadsheet saves them or their values.
            """,
        options: [
            Option("-o", .file, help: "the file, in place of the argument"),
            Option.matching, Option.searched, .replace, .spreadsheet,
        ],
        examples: ["export stock.csv", "export - | gzip > stock.csv.gz", "export -o stock.csv --spreadsheet"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        let operand = arguments.operands.first
        if let operand, let file = arguments.value("-o") {
            throw UsageError("export writes one file: \(operand.shown), or -o \(file.shown)?")
        }
        guard let path = arguments.value("-o") ?? operand, !path.isEmpty else {
            throw arguments.missingOperand(of: Self.usage)
        }
        self.path = path
        forSpreadsheet = arguments.has("--spreadsheet")
        replaces = arguments.has("--replace")
        list = ListCommand(conditions: try ListCommand.conditions(arguments), search: ListCommand.search(arguments))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let console = context.console
        guard try context.mayWrite(path, replaces: replaces, "export") else { return .failed }
        let filter = list.filter(in: context)
        do {
            try await list.checkCurrencies(context.stock, filter)
        } catch InventoryError.noShop {
            // It is reported below.
        }
        let file = try OutputFile(path)
        // Without a byte-order mark, Excel takes UTF-8 for Windows-1252.
        if forSpreadsheet { try file.write("\u{FEFF}".utf8) }
        try file.write(CSVWriter.row(forSpreadsheet ? InventoryCSV.spreadsheetHeader : InventoryCSV.header))
        var count = 0
        let progress = await context.progress("Exporting")
        defer { progress.finish() }
        do {
            try await context.eachPage(filter) { records in
                for record in records.lazy.map(\.record) where list.accepts(record) {
                    let texts = RecordField.texts(of: record)
                    let row = CSVWriter.row(forSpreadsheet ? Record.fields.map { $0.protected(record) } : texts)
                    let isText = !row.contains(0)
                    if let reason = InventoryCSV.refusal(of: texts) {
                        // Only another program can have stored it.
                        let refused =
                            isText
                            ? "one that import will refuse" : "left out, since no import could read a file with it"
                        context.reporter.complain(
                            "the record \(record.sku.text) is \(refused): \(reason); change it with `edit "
                                + "\(record.sku.text)`")
                    }
                    guard isText else { continue }
                    try file.write(row)
                    count += 1
                    progress.update(count)
                }
                return true
            }
        } catch InventoryError.noShop {
            // The name was probably mistyped. A file with a header alone could pass for a backup.
            let state = file.replacesFile ? "\(path) stays as it is" : "nothing was exported"
            throw CommandFailure(.notFound, "\(state): \(context.noShop); check the names")
        } catch  where Task.isCancelled {
            let state =
                path == "-"
                ? "the output is incomplete" : file.replacesFile ? "\(path) stays as it is" : "\(path) was not written"
            console.complain("the export was interrupted: \(state)")
            throw error
        }
        try file.finish()
        console.note("Exported \(count.counted("record"))\(path == "-" ? "" : " to \(path)").")
        return .done
    }
}
