extension CommandRunner {
    /// Prints a table on a terminal, tab-separated lines elsewhere, or an array with `--json`.
    func printRecords(_ records: [Record]) throws {
        var printer = RowPrinter(on: console, asJSON: printsJSON)
        for record in records { try printer.print(printer.text(of: record)) }
        try printer.finish()
    }

    /// Prints the fields on a terminal, a tab-separated line elsewhere, or an object with `--json`.
    func printRecord(_ record: Record) throws {
        if printsJSON {
            return try console.print(json: record.json.text(pretty: console.results.isTerminal))
        }
        guard console.results.isTerminal else { return try console.print(fields: RecordField.texts(of: record)) }
        // The terminal wraps long lines.
        var table = Table(["field", "value"].map { Table.Column($0, staysWhole: true) })
        for field in RecordField.allCases {
            if let text = field.text(of: record) { table.add([field.rawValue, text]) }
        }
        for reservation in record.reservations where reservation.stands(on: stock.source.now().day) {
            table.add(["reserved", "\(reservation.quantity) \(reservation.text)"])
        }
        try console.print(table)
    }

    /// Passes the pages of a list to `body`. Reports the records that cannot be read, except those in
    /// `alreadyReported`. Returns the ids of both.
    ///
    /// - Throws: ``InventoryError/noShop`` if the shop does not exist, and whatever `body` throws.
    func eachPage(
        _ filter: RecordFilter = RecordFilter(), alreadyReported: Set<String> = [],
        _ body: ([StoredRecord]) throws -> Bool
    ) async throws -> Set<String> {
        var unreadable = alreadyReported
        try await stock.eachPage(filter) { page in
            for error in page.unreadable where unreadable.insert(error.id).inserted {
                console.complain("\(error); it is left out")
            }
            return try body(page.records)
        }
        return unreadable
    }

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

    /// Reports a changed record: with a sentence on a terminal, as `show` prints it elsewhere.
    func printChange(_ record: Record, _ sentence: String) throws {
        try report(sentence) {
            if printsJSON || !console.results.isTerminal { try printRecord(record) }
        }
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
