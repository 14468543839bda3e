import Foundation
import RecordKit

/// Where a command works: the stock, and the console that it reports to.
struct CommandContext: Sendable {
    var stock: Stock
    let place: StockPlace
    let reporter: Reporter
    var options = GlobalOptions()
    /// The settings of the run. `nil` in tests.
    var settings: Settings?

    var console: Console { reporter.console }
    var isDryRun: Bool { stock.isDryRun }
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
        var configuration = try NetworkConfiguration(settings, console, timeout: options.timeout)
        let store = configuration.transport as? EmbeddedTransport
        change(&configuration)
        var stock = Stock(configuration, bucket: settings.bucket, source: settings.source)
        stock.isDryRun = options.has("--dry-run")
        stock.patience = options.timeout
        prepare(&stock)
        var output = options.output
        output.columns = settings.columns
        let context = CommandContext(
            stock: stock, place: settings.place, reporter: Reporter(console, output, for: stock), options: options,
            settings: settings)
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
            if let option = options.commaOption, try await !stock.readSettings().hasDecimalComma {
                throw UsageError(
                    "\(option.shown): \(Money.commaAdvice); or allow a comma with `payments --decimal comma`")
            }
            let exitCode = try await command.run(in: context)
            return exitCode == .done && reporter.isPartlyDone ? .partlyDone : exitCode
        } catch let error as AmbiguousBarcode {
            try reporter.print(error.records, reporter.output.withAllFields)
            throw Self.failure(of: error)
        } catch let error as UsageError {
            throw UsageError(error.message, command: type(of: command).usage.name)
        } catch let error as SaleError where CommandFailure(error).exitCode == .usage {
            throw UsageError(CommandFailure(error).message, command: type(of: command).usage.name)
        } catch {
            switch error as? InventoryError {
            // In the embedded store, an interrupted change was not made.
            case .unanswered(.cancelled, _) where place.isStore,
                .notMade(.cancelled) where place.isStore:
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
            "\(error.records.count) records have the barcode \(error.barcode.ean13); nothing was changed, name the SKU "
                + "of one")
    }
}

// Reading.
extension CommandContext {
    /// Looks at what a command needs, and reports the records that cannot be read. See
    /// ``Stock/look(at:skus:naming:undoing:settings:)``.
    func look(
        at codes: [SKU], naming name: String? = nil, undoing: [String]? = nil, settings: Bool = false
    ) async throws -> StockSnapshot {
        var look = try await stock.look(at: codes, naming: name, undoing: undoing, settings: settings)
        for code in codes {
            if case .copies(_, let unreadable) = look.found[code] {
                for error in unreadable { console.complain("\(error); it is left out") }
            }
            guard case .failure(.notFound) = look.found[code] else { continue }
            if let barcode = ScannedCode.shortBarcode(code.text) {
                var copies: [StoredRecord] = []
                try await stock.eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
                    copies += page.items
                    return true
                }
                if !copies.isEmpty { look.found[code] = .copies(copies, unreadable: []) }
            }
            let spellings = Self.spellings(of: code)
            guard !spellings.isEmpty, let stored = try? await stock.stored(spellings), stored.count == 1 else {
                continue
            }
            look.capitals[code] = spellings.first { stored[$0.recordID] != nil }
        }
        return look
    }

    /// Returns the SKUs that may be meant by a missing one: with capital letters, or a short number with zeros before
    /// it, such as 00003 for 3.
    private static func spellings(of code: SKU) -> [SKU] {
        let isNumber = code.text.utf8.count < 8 && code.text.utf8.allSatisfy(\.isDigit)
        let texts =
            isNumber ? (1...7).map { String(repeating: "0", count: $0) + code.text } : [code.text.uppercased()]
        return texts.compactMap { try? SKU($0) }.filter { $0 != code }
    }

    /// Passes the pages of a list to `body`. Reports the records that cannot be read.
    ///
    /// - Parameters:
    ///   - consequence: What follows if the shop does not exist, which is reported then.
    ///   - failure: What fails if the shop does not exist. Without both, throws ``InventoryError/noShop``.
    /// - Returns: Whether the shop exists.
    @discardableResult func eachPage(
        _ filter: RecordFilter = RecordFilter(), orNote consequence: String? = nil, orFail failure: String? = nil,
        _ body: ([StoredRecord]) throws -> Bool
    ) async throws -> Bool {
        do {
            try await stock.eachPage(filter) { page in
                for error in page.unreadable { reporter.leaveOut(error) }
                return try body(page.items)
            }
            return true
        } catch InventoryError.noShop {
            if let failure { throw CommandFailure(.notFound, "\(failure): \(noShop)") }
            guard let consequence else { throw InventoryError.noShop }
            reportMissingShop(consequence)
            return false
        }
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

    /// Passes the pages of a list of movements to `body`, until the end or until it returns false. Reports the
    /// movements that cannot be read.
    func eachMovementPage(_ filter: MovementFilter, _ body: ([Movement]) async throws -> Bool) async throws {
        try await stock.eachMovementPage(filter) { page in
            for error in page.unreadable { reporter.leaveOut(error) }
            return try await body(page.items)
        }
    }

    /// The message that the shop does not exist.
    var noShop: String {
        "there is no shop \"\(stock.bucket)\" \(place.isStore ? "in" : "on") \(place.name) yet"
            + (place.isStore ? "" : ", or this account may not use it")
    }

    /// Reports that the shop does not exist, which is no error: it may be new. On a server the name may also be
    /// mistyped, or the account may lack permission. So there the message appears with `--quiet` too.
    func reportMissingShop(_ consequence: String) {
        if place.isStore {
            console.note("\(consequence): \(noShop).")
        } else {
            console.complain("\(noShop); check the names")
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

// Files and questions.
extension CommandContext {
    /// Asks whether to go on. If not, or without a terminal, notes what did not happen.
    func confirm(_ question: String, orNote sentence: String) throws -> Bool {
        if try console.confirm(question) == true { return true }
        console.note(sentence)
        return false
    }

    /// Returns whether a file may be written: it is no part of the store, and new, or may be replaced.
    ///
    /// - Parameters:
    ///   - isWanted: Whether `--replace` was given. Otherwise a person is asked.
    ///   - verb: What is done, for the error.
    func mayWrite(_ path: String, replaces isWanted: Bool, _ verb: String) throws -> Bool {
        try place.checkTarget(path, of: verb)
        // A device and a pipe are written to, and a folder is a separate error.
        var status = stat()
        guard path != "-", !isWanted, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
        guard console.canAsk else {
            throw UsageError("\(path.printable) exists; give --replace to replace it")
        }
        return try confirm("Replace \(path)?", orNote: "Nothing was written.")
    }
}
