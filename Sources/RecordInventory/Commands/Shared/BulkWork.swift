import RecordKitJSON

/// Work on many records: shows how far it is, prints each record that was changed, and says what was done if it ends
/// early.
struct BulkWork {
    private let context: CommandContext
    private let progress: ProgressBar
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
        (self.context, self.total, self.done, self.again) = (context, total, done, again)
        self.printsRows = printsRows ?? context.printsChanges
        progress = ProgressBar(title, total: total, on: context.console)
        printer = RowPrinter(on: context.console, context.output)
    }

    /// Runs work that passes on the changes that were made.
    mutating func run(_ work: (_ made: ([MadeChange]) -> Void) async throws -> Void) async throws {
        defer { progress.finish() }
        var this = self
        defer { self = this }
        do {
            try await work { changes in this.add(changes) }
        } catch {
            progress.finish()
            context.console.complain(
                "\(this.count) of \(total.counted("record")) \(this.count == 1 ? "was" : "were") \(done) so far; \(again) "
                    + "for the others")
            throw error
        }
    }

    private mutating func add(_ changes: [MadeChange]) {
        count += changes.count
        progress.update(count)
        for change in changes where change.movements[0].kind != .deletion { context.reportReserved(change) }
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
