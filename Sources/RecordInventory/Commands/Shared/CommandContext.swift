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
    /// The settings of the run. `nil` in tests.
    var settings: Settings?

    var isDryRun: Bool { stock.isDryRun }
    /// Whether to print results as one JSON value.
    var printsJSON: Bool { output.format == .json }
    /// Whether a command prints what it changed, beside a sentence: for scripts, and on request.
    var printsChanges: Bool { output.isChosen || !console.results.isTerminal }
    var finder: RecordFinder { RecordFinder(context: self) }
    var maker: MovementMaker { MovementMaker(context: self) }
    /// Today, at the till.
    var today: CalendarDay { stock.source.now().day }

    /// Runs a command. Its errors become failures with an exit code.
    func run(_ command: any Command) async throws -> ExitCode {
        var context = self
        let console = console
        context.stock.notice = { console.note($0) }
        // A mistyped name must not look like an empty stock.
        if case .store(let path) = place, !type(of: command).usage.worksWithoutStore,
            !StoreFile.exists(URL(storePath: path))
        {
            throw CommandFailure(.notFound, "no store at \(path); import or add creates it")
        }
        do {
            return try await command.run(in: context)
        } catch let error as InventoryError {
            // In the embedded store, an interrupted change was not made.
            switch (error, place) {
            case (.unanswered(.cancelled, _), .store), (.notMade(.cancelled), .store): throw CancellationError()
            default: break
            }
            throw try CommandFailure(error)
        } catch let error as StockShortage {
            throw CommandFailure(.conflict, "\(error)")
        } catch let error as AmbiguousBarcode {
            try printRecords(error.records, output.withAllFields)
            throw error.failure
        }
    }

    /// Returns why a scanned line failed, for a loop that goes on with the next line. Throws errors that end the loop.
    func failure(ofLine error: any Error) throws -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let error as InventoryError: return try CommandFailure(error)
        case let error as StockShortage: return CommandFailure(.conflict, "\(error)")
        case let error as UsageError: return CommandFailure(.usage, error.message)
        case let error as AmbiguousBarcode:
            // The results of the loop are no list of records.
            let names = error.records.map { "\n  \($0.name), \($0.quantity) in stock" }.joined()
            return CommandFailure(error.failure.exitCode, error.failure.message + names)
        default: throw error
        }
    }
}

// Reading.
extension CommandContext {
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
            return try body(page.records)
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
        try await stock.server.value(for: ItemService.Count(collection: collection, bucket: stock.bucket))
    }

    func reportUnreadable(_ error: UnreadableRecord) { console.complain("\(error); it is left out") }

    /// Passes the pages of a list of movements to `body`, until the end or until it returns false. Reports the movements
    /// that cannot be read. Returns how many there are.
    func eachMovementPage(_ filter: MovementFilter, _ body: ([Movement]) throws -> Bool) async throws -> Int {
        var unreadable = 0
        try await stock.eachMovementPage(filter) { page in
            for error in page.unreadable { console.complain("\(error); it is left out") }
            unreadable += page.unreadable.count
            return try body(page.movements)
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

// Printing.
extension CommandContext {
    /// Prints JSON, on several lines on a terminal.
    func print(_ json: JSONValue) throws {
        try console.print(json: json.text(pretty: console.results.isTerminal))
    }

    /// Prints rows for records.
    func printRecords(_ records: [Record], _ style: OutputStyle? = nil) throws {
        var printer = RowPrinter<Record>(on: console, style ?? output)
        for record in records { try printer.print(record) }
        try printer.finish()
    }

    /// Prints one record: a JSON object, a table with a row for each field, or a row.
    func printRecord(_ record: Record) throws {
        switch output.format(on: console) {
        case .json: try print(output.fields.map { record.printedJSON($0) } ?? record.printedJSON)
        case .table: try printFields(of: record)
        case .ndjson, .csv, .tsv: try printRecords([record])
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
    func printChange(_ record: Record, _ sentence: String) throws {
        try report(sentence) {
            if printsChanges { try printRecord(record) }
        }
    }

    /// Reports what a dry run of a command would do to a record.
    func reportDryRun(_ change: String, _ record: Record) throws {
        if printsChanges { try printRecord(record) }
        console.note("Nothing was written. It would be \(change).")
    }

    /// Prints the results of a change, then reports it. A dry run says that nothing was written.
    func report(_ sentence: String, _ printResults: () throws -> Void) throws {
        let sentence = isDryRun ? "Nothing was written. It would be: \(sentence)" : sentence
        try printResultsOfChange(sentence, printResults)
        console.note(sentence)
    }

    /// Prints the results of a change. If they cannot be written, reports the change despite `--quiet`, and with an
    /// exit code of its own, so that it is not made again.
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

extension CommandFailure {
    /// Chooses the exit code and message for a failed request. Throws `CancellationError` if the request was
    /// interrupted.
    init(_ error: InventoryError) throws(CancellationError) {
        let exitCode: ExitCode
        switch error {
        case .notFound: exitCode = .notFound
        case .conflict, .crowded, .superseded, .alreadyMade: exitCode = .conflict
        case .partlyMade: exitCode = .partlyDone
        case .noShop, .notSignedIn, .notAllowed, .noLock(isChanged: false), .noLedger(isChanged: false):
            exitCode = .notAllowed
        case .rateLimited, .heldBack: exitCode = .rateLimited
        case .unreadable, .unreadableMovement, .refused, .noLock(isChanged: true), .noLedger(isChanged: true):
            exitCode = .failed
        case .unanswered(let cause, _), .notMade(let cause), .network(let cause):
            // The store's own message: no network is involved.
            if let failure = cause.cause as? EmbeddedStoreError {
                self.init(.failed, failure.description)
                return
            }
            switch (cause, error) {
            case (.cancelled, .unanswered), (.cancelled, .notMade): exitCode = .interrupted
            case (.cancelled, _): throw CancellationError()
            case (.connection, _), (.timedOut, _), (.badResponse, _), (_, .unanswered), (_, .notMade):
                exitCode = .network
            default: exitCode = .failed
            }
        }
        self.init(exitCode, error.description)
    }
}
