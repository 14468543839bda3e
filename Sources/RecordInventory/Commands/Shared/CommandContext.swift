import RecordKitJSON
import Foundation
import RecordKit

/// Where a command works: the stock, and the console that it reports to.
struct CommandContext: Sendable {
    var stock: Stock
    let place: StockPlace
    var output = OutputStyle()
    let console: Console
    /// Whether a dry run lists each row and field.
    var showsDetails = false
    /// How long to wait for a server.
    var timeout = Duration.seconds(30)
    /// The settings of the run. `nil` in tests.
    var settings: Settings?
    /// The first option with a decimal comma, for the shops that have none.
    var commaOption: String?

    var isDryRun: Bool { stock.isDryRun }
    /// Whether to print results as one JSON value.
    var printsJSON: Bool { output.format == .json }
    /// Whether a command prints what it changed, beside a sentence: for scripts, and on request.
    var printsChanges: Bool { output.isChosen || !console.results.isTerminal }
    /// Today, at the till.
    var today: CalendarDay { stock.source.now().day }

    /// Runs a command on the stock in `settings`.
    ///
    /// - Parameters:
    ///   - change: Changes the configuration of the requests, such as its transport.
    ///   - prepare: Changes the stock before the command.
    static func run(
        _ command: any Command, _ options: GlobalOptions, _ settings: Settings, _ console: Console,
        network change: (inout NetworkConfiguration) -> Void = { _ in },
        stock prepare: (inout Stock) -> Void = { _ in }
    ) async throws -> ExitCode {
        let timeout = Duration.seconds(options.timeout ?? 30)
        var configuration = try NetworkConfiguration(settings, console, timeout: timeout)
        let store = configuration.transport as? EmbeddedTransport
        change(&configuration)
        var stock = Stock(configuration, bucket: settings.bucket, source: settings.source)
        stock.isDryRun = options.isDryRun
        stock.patience = timeout
        prepare(&stock)
        var output = options.output
        output.columns = settings.columns
        let context = CommandContext(
            stock: stock, place: settings.place, output: output, console: console,
            showsDetails: options.showsDetails, timeout: timeout, settings: settings, commaOption: options.commaOption)
        // The process may end before the store is released.
        do {
            let exitCode = try await context.run(command)
            await store?.close()
            return exitCode
        } catch {
            await store?.close()
            throw error
        }
    }

    /// Runs a command. Its errors become failures with an exit code.
    func run(_ command: any Command) async throws -> ExitCode {
        var context = self
        let console = console
        context.stock.notice = { console.note($0) }
        // A mistyped name must not look like an empty stock.
        if case .store(let path) = place, place.isMissing,
            !command.createsStore || isDryRun && !type(of: command).usage.worksWithoutStore
        {
            throw CommandFailure(.notFound, "no store at \(path); import or add creates it")
        }
        do {
            if let option = commaOption, try await !stock.readSettings().hasDecimalComma {
                throw UsageError(
                    "\(option.shown): \(Money.commaAdvice); or allow a comma with `payments --decimal comma`",
                    command: type(of: command).usage.name)
            }
            return try await command.run(in: context)
        } catch let error as AmbiguousBarcode {
            try print(error.records, output.withAllFields)
            throw Self.failure(of: error)
        } catch let error as UsageError {
            throw error
        } catch let error as SaleError where CommandFailure(error).exitCode == .usage {
            throw UsageError(CommandFailure(error).message, command: type(of: command).usage.name)
        } catch {
            switch error as? InventoryError {
            // In the embedded store, an interrupted change was not made.
            case .unanswered(.cancelled, _) where !place.losesResponses,
                .notMade(.cancelled) where !place.losesResponses:
                throw CancellationError()
            default: throw try failure(of: error)
            }
        }
    }

    /// Returns why a command or a scanned line failed: the exit code and the message. Rethrows `CancellationError`,
    /// which isn't a failure.
    func failure(of error: any Error) throws -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let error as InventoryError: return try CommandFailure(error)
        case let error as SaleError: return CommandFailure(error)
        case let error as MissingRecord:
            let reason = error.isShopMissing ? ": \(noShop)" : error.hint
            let code = (error.mayBeBarcode ? "with the SKU or the barcode " : "") + error.code.text
            return CommandFailure(.notFound, "there is no record \(code)\(reason)")
        case is StockShortage: return CommandFailure(.conflict, "\(error)")
        case is TooManyLines, is MissingClosing, is Overflow: return CommandFailure(.failed, "\(error)")
        case let error as UsageError: return CommandFailure(.usage, error.message)
        case let error as AmbiguousBarcode:
            // The results of a loop are no list of records.
            let names = error.records.map { "\n  \($0.name), \($0.quantity) in stock" }.joined()
            return CommandFailure(.conflict, Self.failure(of: error).message + names)
        default: throw error
        }
    }

    private static func failure(of error: AmbiguousBarcode) -> CommandFailure {
        CommandFailure(
            .conflict,
            "\(error.records.count) records have the barcode \(error.barcode.ean13); nothing was changed, name the SKU of "
                + "one")
    }
}

// Reading.
extension CommandContext {
    /// Looks at what a command needs, and reports the records that cannot be read. See
    /// ``Stock/look(at:skus:naming:undoing:deletions:settings:)``.
    func look(
        at codes: [SKU] = [], naming name: String? = nil, undoing: [String] = [], deletions: Bool = false,
        settings: Bool = false
    ) async throws -> StockSnapshot {
        var look = try await stock.look(
            at: codes, naming: name, undoing: undoing, deletions: deletions, settings: settings)
        for case .copies(_, let unreadable) in look.found.values { unreadable.forEach(reportUnreadable) }
        for code in codes {
            if let padded = await padded(code, look.found[code]) { look.capitals[code] = padded }
            guard case .failure(.notFound) = look.found[code], let capital = try? SKU(code.text.uppercased()),
                capital != code, let stored = try? await stock.stored([capital]), !stored.isEmpty
            else { continue }
            look.capitals[code] = capital
        }
        return look
    }

    /// Returns the only SKU that is a missing number with zeros before it: 00003 for 3.
    private func padded(_ code: SKU, _ found: StockSnapshot.Found?) async -> SKU? {
        guard case .failure(.notFound) = found, code.text.utf8.count < 8, code.text.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        let codes = (1...7).compactMap { try? SKU(String(repeating: "0", count: $0) + code.text) }
        guard let stored = try? await stock.stored(codes), stored.count == 1 else { return nil }
        return codes.first { stored[$0.recordID] != nil }
    }

    /// Passes the pages of a list to `body`. Reports the records that cannot be read, except those in
    /// `alreadyReported`. Returns the ids of both.
    ///
    /// - Throws: ``InventoryError/noShop`` if the shop does not exist, and the errors of `body`.
    func eachPage(
        _ filter: RecordFilter = RecordFilter(), alreadyReported: Set<String> = [],
        _ body: ([StoredRecord]) throws -> Bool
    ) async throws -> Set<String> {
        var unreadable = alreadyReported
        try await stock.eachPage(filter) { page in
            for error in page.unreadable where unreadable.insert(error.id).inserted { reportUnreadable(error) }
            return try body(page.items)
        }
        return unreadable
    }

    /// Returns the progress of work on each record, or also on each movement. Asks for their number only if a person
    /// sees it.
    func progress(_ title: String, withMovements: Bool = false) async -> ProgressBar {
        guard console.showsProgress, var total = try? await count(ShopPath.records) else {
            return ProgressBar(title, on: console)
        }
        if withMovements { total += (try? await count(Ledger.collection)) ?? 0 }
        return ProgressBar(title, total: total, on: console)
    }

    private func count(_ collection: String) async throws -> Int? {
        try await stock.server.value(for: Count(path: ShopPath.list(collection, in: stock.bucket)))
    }

    func reportUnreadable(_ error: some Error) { console.complain("\(error); it is left out") }

    /// Passes the pages of a list of movements to `body`, until the end or until it returns false. Reports the
    /// movements that cannot be read, except those in `alreadyReported`. Returns the ids of both.
    func eachMovementPage(
        _ filter: MovementFilter, alreadyReported: Set<String> = [], _ body: ([Movement]) async throws -> Bool
    ) async throws -> Set<String> {
        var unreadable = alreadyReported
        try await stock.eachMovementPage(filter) { page in
            for error in page.unreadable where unreadable.insert(error.id).inserted { reportUnreadable(error) }
            return try await body(page.items)
        }
        return unreadable
    }

    /// The message that the shop does not exist.
    var noShop: String {
        switch place {
        case .store(let path): "there is no shop \"\(stock.bucket)\" in \(path) yet"
        case .server(let address):
            "there is no shop \"\(stock.bucket)\" on \(address) yet, or this account may not use it"
        }
    }

    /// Reports that the shop does not exist, which is no error: it may be new. On a server the name may also be
    /// mistyped, or the account may lack permission. So there the message appears with `--quiet` too.
    func reportMissingShop(_ consequence: String) {
        switch place {
        case .store: console.note("\(consequence): \(noShop).")
        case .server: console.complain("\(noShop); check the names")
        }
    }
}

// Changing.
extension CommandContext {
    /// Looks at one record, plans and sends its change. Without a change, the record stays as it was.
    func changeOne(
        _ code: SKU, isSale: Bool = false, plan: (StoredRecord) throws -> RecordChange?
    ) async throws -> (before: Record, record: Record, movements: [Movement]) {
        let made = try await stock.change {
            try await look(at: [code])
        } plan: { look in
            try plan(look.record(for: code, isSale: isSale)).map { [$0] } ?? []
        }
        let before = try made.look.record(for: code, isSale: isSale).record
        return (before, made.changes.first?.record ?? before, made.changes.first?.movements ?? [])
    }
}

// Printing.
extension CommandContext {
    /// Prints JSON, on several lines on a terminal.
    func print(_ json: JSONValue) throws {
        try console.print(json: json.text(pretty: console.results.isTerminal))
    }

    /// Prints an object. Its last member is an array, whose elements come one by one, as JSON.
    func print(_ object: JSONObject, _ name: String, _ forEach: ((String) throws -> Void) throws -> Void) throws {
        let isPretty = console.results.isTerminal
        let (end, line) = isPretty ? ("\n}", "\n  ") : ("}", "")
        let start = JSONValue.object(object).text(pretty: isPretty).dropLast(end.count)
        var separator = "\(start),\(line)\"\(name)\":["
        try forEach { element in
            try console.write(json: separator + line + element)
            separator = ","
        }
        try console.write(json: (separator == "," ? "" : separator) + "]" + end + "\n")
    }

    /// Prints rows.
    func print<Element: Row>(_ rows: [Element], _ style: OutputStyle? = nil) throws {
        var printer = RowPrinter<Element>(on: console, style ?? output)
        for row in rows { try printer.print(row) }
        try printer.finish()
    }

    /// Prints one record: a JSON object, a table with a row for each field, or a row.
    func printRecord(_ record: Record) throws {
        switch output.format(on: console) {
        case .json: try print(output.fields.map { record.printedJSON($0) } ?? record.printedJSON)
        case .table: try printFields(of: record)
        case .ndjson, .csv, .tsv: try print([record])
        }
    }

    private func printFields(of record: Record) throws {
        // The terminal wraps long lines.
        var table = Table(["field", "value"].map { Table.Column($0, staysWhole: true) })
        for name in output.fields ?? Record.fieldNames {
            if let text = record.text(of: name) { table.add([name, text]) }
        }
        for reservation in record.reservations where output.fields == nil && reservation.stands(on: today) {
            table.add(["reserved", "\(reservation.quantity) \(reservation.text)"])
        }
        try console.print(table)
    }

    /// Reports a changed record: with a sentence on a terminal, as `show` prints it elsewhere.
    func printChange(_ record: Record, _ sentence: String, undo command: String? = nil) throws {
        try report(sentence, undo: command) {
            if printsChanges { try printRecord(record) }
        }
    }

    /// Reports that copies are gone that were reserved, also with `--quiet`: the customers have to be told.
    ///
    /// - Parameter old: The record before the change.
    func reportReserved(_ record: Record, before old: Record) {
        let reserved = record.reserved(on: today)
        guard record.quantity < min(reserved, old.quantity) else { return }
        console.complain(
            "\(reserved.counted("copy", "copies")) of \(record.sku.text) \(reserved == 1 ? "is" : "are") reserved for "
                + "\(record.customers(on: today)), and \(record.quantity) \(record.quantity == 1 ? "is" : "are") in stock; "
                + "tell the customer, and `release` the copies")
    }

    func reportReserved(_ change: MadeChange) {
        if let before = change.before { reportReserved(change.record, before: before) }
    }

    /// Reports what a dry run of a command would do to a record.
    func reportDryRun(_ change: String, _ record: Record) throws {
        if printsChanges { try printRecord(record) }
        console.note("Nothing was written. It would be \(change).")
    }

    /// Prints the results of a change, then reports it, and how to undo it. A dry run says that nothing was written.
    ///
    /// - Parameter command: The id of the command, or `nil` if the result doesn't say how to undo it.
    func report(_ sentence: String, undo command: String? = nil, _ printResults: () throws -> Void) throws {
        let sentence = isDryRun ? "Nothing was written. It would be: \(sentence)" : sentence
        try printResultsOfChange(sentence, printResults)
        console.note(sentence)
        if let command, !isDryRun { console.note("Undo with: record-inventory undo \(command)") }
    }

    /// Returns whether a file may be written: it is new, may be replaced, or a person says so.
    ///
    /// - Parameter isWanted: Whether `--replace` was given.
    func mayReplace(_ path: String, _ isWanted: Bool, in command: String) throws -> Bool {
        // A device and a pipe are written to, and a folder is a separate error.
        var status = stat()
        guard path != "-", !isWanted, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
        guard console.canAsk else {
            throw UsageError("\(path.printable) exists; give --replace to replace it", command: command)
        }
        if try console.confirm("Replace \(path)?") == true { return true }
        console.note("Nothing was written.")
        return false
    }

    /// Prints the results of a change. If they cannot be written, reports the change despite `--quiet`, and with an
    /// separate exit code, so that it is not made again.
    func printResultsOfChange(_ sentence: String, _ printResults: () throws -> Void) throws {
        do {
            try printResults()
            try console.flush()
        } catch let error as FileError where !error.isClosedPipe {
            throw CommandFailure(.partlyDone, "\(error). \(sentence)")
        } catch is FileError {
            // The reader of the output has gone.
        }
    }
}
