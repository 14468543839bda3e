import RecordKitJSON

/// Shows the records that match, in an order.
struct ListCommand: Command {
    var conditions: [Condition] = []
    var search: SearchQuery?
    var sort: [SortKey] = []
    /// The maximum number of records, or `nil` for all.
    var limit: Int?

    struct Condition: Equatable, Sendable {
        let field: RecordField
        let comparison: RecordFilter.Comparison
        let value: FieldValue
    }

    struct SortKey: Equatable, Sendable {
        let field: RecordField
        let isDescending: Bool
    }

    static let usage = CommandUsage(
        name: "list", synonyms: ["ls", "find", "search"],
        operands: CommandUsage.Operands(nil, count: 0...0, advice: "; to search, give --search TEXT"),
        summary: "find records",
        explanation: """
            Shows all records, or those that match: a table on a terminal, tab-separated fields elsewhere. CSV begins
            with the names of the fields, and the other formats have as many values for each record.

            Fields:
            \(HelpText.fields)

            Of the grades, M is the highest and P the lowest.

            Texts are found without the spaces around them, and genre, format, label and location also in capital or
            small letters: genre=jazz finds Jazz.

            --search finds words in any order, each by its beginning, without regard to case, accents and width: bjork
            finds Björk, tplp51 the catalog number TPLP 51. Prices are sorted and filtered within one currency: if there
            are several, name one with --where currency=EUR. A narrow terminal leaves out location, format, media and
            copies, in this order.
            """,
        options: [
            Option.matching, Option.searched,
            Option("--sort", .order, help: "sort by these fields, -FIELD for descending (default: sku)"),
            Option("--limit", .number, help: "at most N records"), .recordFields, .spreadsheet,
        ],
        examples: [
            "list --search 'kind miles'", "list --search blue --where currency=EUR --sort -price --limit 10",
            "list --where media_condition=NM --where min_quantity=1 --json",
            "list --output csv --fields sku,price,currency",
        ])

    func run(in context: CommandContext) async throws -> ExitCode {
        do {
            let filter = filter(in: context)
            try await checkCurrencies(context.stock, filter)
            var listing = try Listing(self, on: context.console, context.reporter.output)
            // Records come in the order of their ids. That is the order of the SKUs, except for escaped ids, which are
            // sorted first.
            let first = storeOrder
            var escaped = sort.isEmpty ? page(filter) : filter
            if sort.isEmpty || first != nil { escaped.ids = SKU.escapedIDs }
            try await context.eachPage(escaped) { try listing.sort($0) }
            if let first {
                // Servers differ in the place of a missing number, so those without it follow by themselves.
                for hasNumber in [true, false] where listing.hasRoom {
                    var sorted = page(filter)
                    if hasNumber {
                        sorted.order = (first.field, first.isDescending)
                        sorted.require(first.field)
                    }
                    try await context.eachPage(sorted) { page in
                        try listing.sortFirst(
                            page.filter { (first.field.value(of: $0.record) != .none) == hasNumber })
                    }
                }
            }
            try listing.finishSorting()
            if sort.isEmpty {
                try await context.eachPage(page(filter)) { try listing.merge($0) }
            }
            try listing.finish()
            return .done
        } catch InventoryError.noShop {
            context.reportMissingShop("There are no records")
            try context.reporter.print([Record]())
            return .done
        }
    }

    /// Throws if prices of several currencies would be compared, since 15 EUR are neither less nor more than 20 USD.
    func checkCurrencies(_ stock: Stock, _ filter: RecordFilter) async throws {
        let comparesPrices = (conditions.map(\.field) + sort.map(\.field)).contains { $0.kind == .price }
        let namesCurrency = conditions.contains { $0.field == .currency && $0.comparison == .equal }
        guard comparesPrices, !namesCurrency else { return }
        var all = filter
        all.search = nil
        let codes = try await stock.currencies(all)
        guard codes.count > 1 else { return }
        throw UsageError(
            "prices are in several currencies, such as \(codes.joined(separator: " and ")), and are not compared with "
                + "each other; name one with --where currency=\(codes[0])")
    }

    /// The conditions for the server. A server takes a name that comes twice as a list of values, which no field
    /// equals.
    var filter: RecordFilter {
        var names: Set<String> = []
        return RecordFilter(conditions: conditions.compactMap(\.onServer).filter { names.insert($0.name).inserted })
    }

    /// The conditions for the store or server, and the words where it has an index of them.
    func filter(in context: CommandContext) -> RecordFilter {
        var filter = filter
        if context.place.isStore { filter.search = search?.text }
        return filter
    }

    /// The order that the store or server gives to the first records, if it is the same as this tool's: that of one
    /// number, with conditions that are all checked there. A page has them then.
    private var storeOrder: SortKey? {
        guard sort.count == 1, search == nil, filter.conditions.count == conditions.count, limit ?? .max <= 1_000,
            [.price, .quantity, .year].contains(sort[0].field)
        else { return nil }
        return sort[0]
    }

    /// Returns the filter for a list in the order of ids. Asks for no more records than will be printed.
    private func page(_ filter: RecordFilter) -> RecordFilter {
        var filter = filter
        if let limit, search == nil, filter.conditions.count == conditions.count {
            filter.pageSize = min(filter.pageSize, limit)
        }
        return filter
    }

    /// Whether all conditions hold, and the words are found.
    func accepts(_ record: Record) -> Bool {
        conditions.allSatisfy { $0.accepts(record) } && (search.map { record.matches($0) } ?? true)
    }
}

extension ListCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        conditions = try Self.conditions(arguments)
        search = Self.search(arguments)
        sort = try (arguments.value("--sort")?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
            .map { key throws(UsageError) in
                let isDescending = key.hasPrefix("-")
                let field = try RecordField(typed: String(isDescending ? key.dropFirst() : key))
                return SortKey(field: field, isDescending: isDescending)
            }
        limit = try arguments.integer("--limit", in: 1...Int.max)
    }

    static func search(_ arguments: ArgumentScanner) -> SearchQuery? {
        arguments.value("--search").map { SearchQuery(typed: $0) }
    }

    static func conditions(_ arguments: ArgumentScanner) throws(UsageError) -> [Condition] {
        try arguments.values("--where").map { text throws(UsageError) in try Condition(text) }
    }
}

/// The output of `list`: records in the order that was asked for, printed while they arrive.
private struct Listing {
    private let list: ListCommand
    private let console: Console
    private var printer: RowPrinter<Record>
    private var sorter: LineSorter
    private var sortedCount = 0
    /// The number of those that came in the order that was asked for.
    private var firstCount = 0
    /// The next record of the sorter.
    private var sorted: (id: String, text: String)?
    private let progress: ProgressBar
    private var seen = 0

    init(_ list: ListCommand, on console: Console, _ style: OutputStyle) throws {
        self.list = list
        self.console = console
        printer = RowPrinter(on: console, style)
        sorter = try LineSorter(directions: list.sort.map(\.isDescending), limit: list.limit)
        progress = ProgressBar("Reading", on: console)
    }

    private var isFull: Bool { printer.count >= list.limit ?? .max }

    /// Adds the records of a page to those to sort. Returns whether more are needed. With a limit and no order, the
    /// first ids are enough, although SKUs with spaces and without may follow each other in another order.
    mutating func sort(_ page: [StoredRecord]) throws -> Bool {
        for record in page.lazy.map(\.record) where isSorted(record) && accepts(record) {
            let keys = list.sort.map { $0.field.sortKey(of: record) }
            try sorter.add(keys, record.sku.text, printer.text(of: record))
            sortedCount += 1
        }
        return !list.sort.isEmpty || sortedCount < list.limit ?? .max
    }

    /// Whether fewer records are sorted than will be printed.
    var hasRoom: Bool { firstCount < list.limit ?? .max }

    /// Adds the records of a page in the order that was asked for. Returns whether more are needed. Leaves out escaped
    /// ids, which ``sort(_:)`` has added.
    mutating func sortFirst(_ page: [StoredRecord]) throws -> Bool {
        let before = sortedCount
        _ = try sort(page.filter { $0.record.sku.isRecordID })
        firstCount += sortedCount - before
        return hasRoom
    }

    mutating func finishSorting() throws {
        try sorter.finish()
        sorted = try sorter.next()
    }

    /// Prints the records of a page, and the sorted ones between them. Returns whether more fit.
    mutating func merge(_ page: [StoredRecord]) throws -> Bool {
        for record in page.lazy.map(\.record) where !isSorted(record) && accepts(record) {
            try printSorted(before: record.sku)
            if isFull { return false }
            try printer.print(printer.text(of: record))
        }
        return !isFull
    }

    mutating func finish() throws {
        try printSorted(before: nil)
        progress.finish()
        try printer.finish()
        if printer.count == 0 { console.note("There are no such records.") }
    }

    private func isSorted(_ record: Record) -> Bool {
        !list.sort.isEmpty || !record.sku.isRecordID
    }

    private mutating func printSorted(before sku: SKU?) throws {
        while let next = sorted, !isFull, try sku.map({ try SKU(next.id) < $0 }) ?? true {
            try printer.print(next.text)
            sorted = try sorter.next()
        }
    }

    /// Conditions that the server checked are checked again, since servers differ in order and equality.
    private mutating func accepts(_ record: Record) -> Bool {
        seen += 1
        // A table that is printed meanwhile shows progress enough.
        if !printer.isTable || !list.sort.isEmpty { progress.update(seen) }
        return list.accepts(record)
    }
}

extension ListCommand.Condition {
    fileprivate init(_ text: String) throws(UsageError) {
        if let sign = text.firstIndex(where: { "<>=".contains($0) }), text[sign] != "=" {
            let bound = text[sign] == "<" ? "max" : "min"
            let value = String(text[sign...].drop { "<>=".contains($0) }).shown
            throw UsageError(
                "--where \(text.shown): write \(bound)_\(String(text[..<sign]).shown)=\(value), which includes \(value)"
            )
        }
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError("--where requires FIELD=VALUE, such as format=LP; not \"\(text.shown)\"")
        }
        let name = text[..<sign]
        comparison = [.atLeast, .atMost].first { name.hasPrefix($0.rawValue) } ?? .equal
        field = try RecordField(typed: String(name.dropFirst(comparison.rawValue.count)), prefix: comparison.rawValue)
        do {
            value = try field.value(from: String(text[text.index(after: sign)...]))
        } catch {
            throw UsageError("--where \(error)")
        }
        if comparison != .equal, value == .none {
            throw UsageError("--where \(comparison.rawValue)\(field.rawValue) requires a value")
        }
    }

    /// The condition for the server, or `nil` if only the tool can check it. Prices compare across currencies, whose
    /// codes other programs may store in small letters. The order of strings, and the equality of a letter with a
    /// combining accent, differ between servers.
    var onServer: RecordFilter.Condition? {
        guard field.kind != .price, field != .currency else { return nil }
        switch (value, comparison) {
        case (.text(let text), .equal) where field == .barcode:
            return (try? Barcode(text)).map { .barcode($0) }
        case (.text(let text), .equal) where field.kind == .code && !text.isEmpty:
            return RecordFilter.Condition(field: field, comparison: .equal, values: [.string(text)])
        // SQLite ignores the case of ASCII letters, and has a limit for patterns.
        case (.text(let text), .equal)
        where !text.trimmed.isEmpty && text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 < 0x80 }:
            return RecordFilter.Condition(field: field, comparison: .like, values: [.string("%\(text.trimmed)%")])
        case (.grade(let grade), .equal):
            return RecordFilter.Condition(field: field, comparison: .equal, values: [.string(grade.rawValue)])
        case (.number(let number), _):
            guard let number = Int64(exactly: number) else { return nil }
            return RecordFilter.Condition(field: field, comparison: comparison, values: [.integer(number)])
        case (.text, _), (.grade, _), (.none, _): return nil
        }
    }

    func accepts(_ record: Record) -> Bool {
        let found = field.value(of: record)
        if field.kind == .text, comparison == .equal, case .text(let wanted) = value {
            // A missing string and an empty one look alike to the user.
            let own = if case .text(let text) = found { text } else { "" }
            return own == wanted || field.comparable(own) == field.comparable(wanted)
        }
        return switch comparison {
        case .like: true
        case .equal: found == value
        case .atLeast: found.isLike(value) && found >= value
        case .atMost: found.isLike(value) && found <= value
        }
    }
}
