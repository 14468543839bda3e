import RecordKitJSON
import Synchronization

/// Prints the results of a command, and reports what it did and what it left out.
final class Reporter: Sendable {
    let console: Console
    let output: OutputStyle
    private let isDryRun: Bool
    private let today: @Sendable () -> CalendarDay
    /// Whether there was a complaint, and those that are made once.
    private let complaints = Mutex((isMade: false, once: Set<String>()))

    init(_ console: Console, _ output: OutputStyle = OutputStyle(), for stock: Stock) {
        self.console = console
        self.output = output
        isDryRun = stock.isDryRun
        let source = stock.source
        today = { source.now().day }
    }

    /// Whether to print results as one JSON value.
    var printsJSON: Bool { output.format == .json }
    /// Whether a command prints what it changed, beside a sentence: for scripts, and on request.
    var printsChanges: Bool { output.isChosen || !console.results.isTerminal }
    /// Whether there was a complaint.
    var isPartlyDone: Bool { complaints.withLock { $0.isMade } }

    /// Reports what was left out. Then the command is partly done.
    ///
    /// - Parameter once: Whether the same text is reported once.
    func complain(_ text: String, once: Bool = false) {
        let isKnown = complaints.withLock { complaints in
            complaints.isMade = true
            return once && !complaints.once.insert(text).inserted
        }
        if !isKnown { console.complain(text) }
    }

    /// Reports a record or a movement that cannot be read.
    func leaveOut(_ error: some Error) { complain("\(error); it is left out", once: true) }
}

// Printing.
extension Reporter {
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
    func print(_ record: Record) throws {
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
        for reservation in record.reservations where output.fields == nil && reservation.stands(on: today()) {
            table.add(["reserved", "\(reservation.quantity) \(reservation.text)"])
        }
        try console.print(table)
    }
}

// Reporting.
extension Reporter {
    /// Reports a changed record: with a sentence on a terminal, as `show` prints it elsewhere.
    func report(_ record: Record, _ sentence: String, undo command: String? = nil) throws {
        try report(sentence, undo: command) {
            if printsChanges { try print(record) }
        }
    }

    /// Reports a change that prints nothing but JSON, with `--json`.
    func report(_ sentence: String, json: JSONValue) throws {
        try report(sentence) {
            if printsJSON { try print(json) }
        }
    }

    /// Reports that copies are gone that were reserved, also with `--quiet`: the customers have to be told.
    ///
    /// - Parameter old: The record before the change. `nil` if there was none.
    func reportReserved(_ record: Record, before old: Record?) {
        let reserved = record.reserved(on: today())
        guard let old, record.quantity < min(reserved, old.quantity) else { return }
        console.complain(
            "\(reserved.counted("copy", "copies")) of \(record.sku.text) \(reserved == 1 ? "is" : "are") reserved for "
                + "\(record.customers(on: today())), and \(record.quantity) \(record.quantity == 1 ? "is" : "are") in "
                + "stock; tell the customer, and `release` the copies")
    }

    func reportReserved(_ change: MadeChange) { reportReserved(change.record, before: change.before) }

    /// Reports what a dry run of a command would do to a record.
    func reportDryRun(_ change: String, _ record: Record) throws {
        if printsChanges { try print(record) }
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

    /// Prints the results of a change. If they cannot be written, reports the change despite `--quiet`, and with a
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
