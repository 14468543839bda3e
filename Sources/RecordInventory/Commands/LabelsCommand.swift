/// Writes price labels.
struct LabelsCommand: Command {
    let path: String
    var list = ListCommand()
    /// The command whose records get labels.
    var command: String?
    /// The number of labels for each record. `nil` is one for each copy.
    var copies: Int?
    var isRoll = false
    var takesBarcodes = false
    var replaces = false

    static let usage = CommandUsage(
        name: "labels", operands: CommandUsage.Operands("FILE", .file), summary: "write price labels to print",
        explanation: """
            Writes a page of price labels for a browser to print, in its true size and without margins: one for each
            copy of all records for sale, or of those that match, or that the command of --import added or changed. A
            sheet of A4 has 3 × 8 labels of 70 × 37 mm. With --roll, a label has 57 × 32 mm.

            The bars, which the till reads, are those of the SKU as Code 128. A SKU that Code 128 lacks, or that is
            wider than the label, gets one without bars, and the exit code is 7.
            """,
        options: [
            Option.matching, Option.searched,
            Option("--import", .id, help: "only the records that the command ID added or changed"),
            Option("-n", .number, help: "the number of labels for each record (default: one for each copy)"),
            Option("--ean", help: "the bars of the EAN, where a record has one"),
            Option("--roll", help: "for a printer with a roll of labels"), .replace,
        ],
        examples: [
            "labels labels.html", "labels new.html --import 261123-K7M29QXWR4TZ2ABC",
            "labels one.html --where sku=LP-0042 --roll",
        ])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        path = arguments.operands.first ?? ""
        list = ListCommand(conditions: try ListCommand.conditions(arguments), search: ListCommand.search(arguments))
        command = try arguments.value("--import").map(ArgumentScanner.id)
        copies = try arguments.integer("-n", in: 1...1_000)
        isRoll = arguments.has("--roll")
        takesBarcodes = arguments.has("--ean")
        replaces = arguments.has("--replace")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        guard try context.mayWrite(path, replaces: replaces, "write") else { return .failed }
        let filter = list.filter(in: context)
        try await list.checkCurrencies(context.stock, filter)
        var skus: Set<SKU>?
        if let command {
            skus = Set(try await context.stock.movements(MovementFilter(command: command)).map(\.sku))
            guard skus?.isEmpty == false else {
                throw CommandFailure(.notFound, "\(command) was not made: no movement has this id")
            }
        }
        let isChosen = skus != nil || !list.conditions.isEmpty || list.search != nil
        let file = try OutputFile(path)
        var page = LabelPage(isRoll: isRoll, takesBarcodes: takesBarcodes)
        var count = 0
        try file.write(page.start.utf8)
        try await context.eachPage(filter) { records in
            for record in records.lazy.map(\.record)
            where list.accepts(record) && skus?.contains(record.sku) ?? true && (isChosen || record.status == .forSale)
            {
                for _ in 0..<(copies ?? max(0, record.quantity)) {
                    let label = page.label(of: record)
                    try file.write(label.html.utf8)
                    count += 1
                    guard let complaint = label.complaint else { continue }
                    context.reporter.complain("the label of \(record.sku.text) has no bars: \(complaint)", once: true)
                }
            }
            return true
        }
        try file.write(page.end.utf8)
        try file.finish()
        context.console.note("Wrote \(count.counted("label"))\(path == "-" ? "" : " to \(path)").")
        return .done
    }
}
