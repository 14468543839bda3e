extension CommandRunner {
    /// A table on a terminal, lines with tabs elsewhere, an array with `--json`.
    func printRecords(_ records: [Record]) throws {
        if printsJSON {
            return try console.print(
                json: JSONValue.array(records.map(\.json)).text(pretty: console.results.isTerminal))
        }
        guard console.results.isTerminal else {
            for record in records { try console.print(fields: RecordField.texts(of: record)) }
            return
        }
        if records.isEmpty { return console.note("There are no such records.") }
        var table = Table(Self.columns.map(\.heading))
        for record in records { table.add(Self.columns.map { $0.text(record) }) }
        try console.print(table)
    }

    /// Its fields on a terminal, one line with tabs elsewhere, an object with `--json`.
    func printRecord(_ record: Record) throws {
        if printsJSON {
            return try console.print(json: record.json.text(pretty: console.results.isTerminal))
        }
        guard console.results.isTerminal else { return try console.print(fields: RecordField.texts(of: record)) }
        // A line that is too long is the terminal's to wrap.
        var table = Table(["field", "value"].map { Table.Column($0, staysWhole: true) })
        for field in RecordField.allCases {
            if let text = field.text(of: record) { table.add([field.rawValue, text]) }
        }
        try console.print(table)
    }

    /// The pages of a list. Says which records cannot be read, but for those already reported, and gives back the ids
    /// of all of them.
    ///
    /// - Throws: ``InventoryError/noShop`` when there is no shop to look in, and whatever `body` throws.
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

    /// Why there is no shop to look in.
    var noShop: String {
        switch place {
        case .store(let path): "there is no shop \"\(stock.bucket)\" in \(path) yet"
        case .server(let address):
            "there is no shop \"\(stock.bucket)\" on \(address) yet, or this account may not use it"
        }
    }

    /// Says why there is nothing to see, which is no failure: the shop may be new. On a server it may also be mistyped,
    /// or there and full for another account: so there it is said with `--quiet` too.
    func reportMissingShop(_ consequence: String) {
        switch place {
        case .store: console.note("\(consequence): \(noShop).")
        case .server: console.complain("\(noShop); check the names")
        }
    }

    /// What became of a record: said on a terminal, shown as `show` does elsewhere.
    func printChange(_ record: Record, _ sentence: String) throws {
        try report(sentence) {
            if printsJSON || !console.results.isTerminal { try printRecord(record) }
        }
    }

    /// Says what was done, after its results.
    func report(_ sentence: String, _ printResults: () throws -> Void) throws {
        try printResultsOfChange(sentence, printResults)
        console.note(sentence)
    }

    /// Says what was done, also with `--quiet`, and by the exit code, when its results cannot be written: nobody shall
    /// do it again.
    func printResultsOfChange(_ sentence: String, _ printResults: () throws -> Void) throws {
        do {
            try printResults()
            try console.flush()
        } catch let error as FileError where !error.isClosedPipe {
            throw CommandFailure(.partlyDone, "\(error). \(sentence)")
        } catch is FileError {
            // Nobody reads them.
        }
    }

    private struct Column {
        let heading: Table.Column
        let text: @Sendable (Record) -> String?

        static func field(_ field: RecordField, _ title: String? = nil) -> Column {
            // The SKU is what the other commands ask for.
            let heading = Table.Column(
                title ?? field.rawValue, isNumeric: field.kind == .integer, staysWhole: field == .sku)
            return Column(heading: heading) { field.text(of: $0) }
        }
    }

    private static let columns: [Column] = [
        .field(.sku, "SKU"), .field(.artist), .field(.title), .field(.format), .field(.mediaCondition, "media"),
        Column(heading: Table.Column("price", isNumeric: true)) { "\($0.price.decimalText) \($0.price.currency.code)" },
        .field(.quantity, "copies"), .field(.location),
    ]
}
