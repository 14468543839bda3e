import RecordKitJSON

extension CommandContext {
    /// Runs work that takes a while, and shows how far it is.
    ///
    /// - Parameters:
    ///   - total: The number of items, or `nil` if it is unknown.
    ///   - ifBroken: Says what was done if the work ends with an error.
    func work(
        _ title: String, of total: Int? = nil, ifBroken: (any Error) -> Void = { _ in },
        _ work: (ProgressBar) async throws -> Void
    ) async throws {
        let progress = ProgressBar(title, total: total, on: console)
        do {
            try await work(progress)
            progress.finish()
        } catch {
            progress.finish()
            ifBroken(error)
            throw error
        }
    }
}

/// Changes of many records: prints each that was changed, and says how many were changed if the work ends early.
struct BulkWork {
    private let context: CommandContext
    private let title: String
    private let total: Int
    /// The participle of what is done, and what to type for the rest.
    private let done: String
    private let again: String
    private let printsRows: Bool
    private var printer: RowPrinter<Record>
    // What is changed is changed, even if it cannot be printed.
    private var failure: (any Error)?
    private var isListed = false
    /// The name of the list of the records in a JSON object, whose other members the caller prints.
    var list: String?
    /// The number of records that were changed.
    private(set) var count = 0

    /// - Parameter printsRows: Whether the records are printed. By default as the options say.
    init(
        _ title: String, of total: Int, in context: CommandContext, done: String, again: String,
        printsRows: Bool? = nil
    ) {
        (self.context, self.title, self.total, self.done, self.again) = (context, title, total, done, again)
        self.printsRows = printsRows ?? context.reporter.printsChanges
        printer = RowPrinter(on: context.console, context.reporter.output)
    }

    /// Runs work that passes on the changes that were made.
    mutating func run(_ work: (_ made: ([MadeChange]) -> Void) async throws -> Void) async throws {
        var this = self
        defer { self = this }
        try await context.work(title, of: total) { _ in
            context.console.complain(
                "\(this.count) of \(total.counted("record")) \(this.count == 1 ? "was" : "were") \(done) so far; "
                    + "\(again) for the others")
        } _: { progress in
            try await work { changes in
                this.add(changes)
                progress.update(this.count)
            }
        }
    }

    private mutating func add(_ changes: [MadeChange]) {
        count += changes.count
        for change in changes where change.movements[0].kind != .deletion { context.reporter.reportReserved(change) }
        guard printsRows, failure == nil else { return }
        do { for change in changes { try print(change.record) } } catch { failure = error }
    }

    private mutating func print(_ record: Record) throws {
        guard let list else { return try printer.print(record) }
        try context.console.write(json: (isListed ? "," : "{\"\(list)\":[") + record.printedJSON.text())
        isListed = true
    }

    /// Prints the end of the rows.
    mutating func finish() throws {
        if let failure { throw failure }
        guard printsRows else { return }
        guard let list else { return try printer.finish() }
        try context.console.write(json: isListed ? "]" : "{\"\(list)\":[]")
    }
}
