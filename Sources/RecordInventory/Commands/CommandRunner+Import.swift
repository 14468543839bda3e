extension CommandRunner {
    /// Reads a file row by row and writes it batch by batch. Written rows stay after an error. The same import can be
    /// run again to finish.
    func importFile(_ command: Command.Import) async throws -> ExitCode {
        var summary = ImportSummary()
        do {
            try await importRows(command, &summary)
        } catch {
            reportBreak(summary, error)
            guard let error = error as? ImportError else { throw error }
            try Task.checkCancellation()
            throw CommandFailure(error.exitCode, "\(error)")
        }
        for note in summary.notes { console.note(note) }
        if isDryRun {
            try print(summary, "Nothing was written. It would be: ")
        } else {
            try printResultsOfChange(summary.text) { try print(summary) }
        }
        return summary.rejected.isEmpty ? .done : .partlyDone
    }

    private func importRows(_ command: Command.Import, _ summary: inout ImportSummary) async throws {
        let progress = ProgressBar("Importing", on: console)
        defer { progress.finish() }
        var reader = try ImportReader(InputFile(command.file), format: command.format, currency: command.currency)
        var stock = stock
        stock.source = stock.source.numbered
        var writer = ImportWriter(stock: stock, policy: command.onDuplicate, setsQuantity: command.setsQuantity)
        if isDryRun {
            do {
                try await stock.eachPage(RecordFilter(pageSize: 1)) { _ in false }
            } catch InventoryError.noShop {
                reportMissingShop("Nothing is in stock")
            }
        }
        let batchSize = isDryRun ? 1_000 : try await stock.batchLimit()
        var numbers = StockNumbers(stock: stock)
        var isAtEnd = false
        while !isAtEnd {
            var batch: [ImportRow] = []
            while batch.count < batchSize {
                try Task.checkCancellation()
                guard let row = try reader.next() else {
                    isAtEnd = true
                    break
                }
                switch row {
                case .success(var row):
                    row.trustsNumbers = command.trustsNumbers
                    for note in row.notes { console.note("row \(row.number): \(note)") }
                    batch.append(row)
                case .failure(let error): reject([error], &summary)
                }
            }
            if reader.format == .discogs { reject(try await writer.rejectRenamed(&batch), &summary) }
            if !command.trustsNumbers { reject(try await numbers.rejectSimilar(&batch), &summary) }
            try await write(batch, writer, &summary)
            progress.update(summary.accepted + summary.rejected.count, fraction: reader.fractionRead)
        }
    }

    /// Writes a batch and reports its rejected rows, also if it ends with an error.
    private func write(
        _ batch: [ImportRow], _ writer: ImportWriter, _ summary: inout ImportSummary
    ) async throws {
        let known = summary.rejected.count
        defer { for error in summary.rejected[known...] { console.complain(error.description) } }
        try await writer.write(batch, &summary)
        if showsDetails { try console.print(previews: summary.previews, asJSON: printsJSON) }
        summary.previews = []
    }

    private func reject(_ errors: [RowError], _ summary: inout ImportSummary) {
        summary.rejected += errors
        for error in errors { console.complain(error.description) }
    }

    private func print(_ summary: ImportSummary, _ introduction: String = "") throws {
        if printsJSON {
            try console.print(json: summary.json.text(pretty: console.results.isTerminal))
        } else {
            try console.print(introduction + summary.text)
        }
    }

    /// Reports what was done by an import that ended early.
    private func reportBreak(_ summary: ImportSummary, _ error: any Error) {
        for note in summary.notes { console.note(note) }
        let isUnknown = if case .unanswered? = error as? InventoryError { true } else { false }
        guard summary.accepted > 0 || isUnknown else { return }
        console.complain(
            isDryRun
                ? "nothing was written, and the dry run was not finished; so far it would be: \(summary.text)"
                : "the import was not finished: \(summary.text) so far; import the file again")
    }
}

extension Console {
    /// Prints what a dry run would do: a line for each row, or an object.
    fileprivate func print(previews: [RowPreview], asJSON: Bool) throws {
        for preview in previews {
            if asJSON { try print(json: preview.json.text()) } else { try print(preview.text) }
        }
    }
}

extension ImportError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .noCurrency: .usage
        case .unreadable, .temporaryFile: .failed
        default: .badData
        }
    }
}
