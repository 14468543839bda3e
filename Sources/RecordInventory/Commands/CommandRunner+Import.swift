extension CommandRunner {
    /// Reads the file row by row and writes it batch by batch. What is written stays, whatever comes after: the same
    /// import again finishes the job.
    func importFile(_ command: Command.Import) async throws -> ExitCode {
        var summary = ImportSummary()
        let progress = ProgressBar("Importing", on: console)
        defer { progress.finish() }
        do {
            var reader = try ImportReader(
                InputFile(command.file), format: command.format, currency: command.currency)
            var writer = ImportWriter(stock: stock, policy: command.onDuplicate)
            if command.isDryRun {
                try await writer.readStock()
            }
            let batchSize = command.isDryRun ? 1_000 : try await stock.batchLimit()
            var isAtEnd = false
            while !isAtEnd {
                var batch: [ImportWriter.Row] = []
                while batch.count < batchSize {
                    try Task.checkCancellation()
                    guard let row = try reader.next() else {
                        isAtEnd = true
                        break
                    }
                    for note in row.notes { console.note("row \(row.number): \(note)") }
                    switch row.record {
                    case .success(let record):
                        batch.append(ImportWriter.Row(number: row.number, record: record, fields: row.fields))
                    case .failure(let error): reject(error, &summary)
                    }
                }
                let renamed = reader.format == .discogs ? try await writer.rejectRenamed(&batch) : []
                for error in renamed { reject(error, &summary) }
                let rejected = try await writer.write(batch, &summary)
                for error in rejected { reject(error, &summary) }
                progress.update(
                    summary.created + summary.updated + summary.unchanged + summary.rejected.count,
                    fraction: reader.fractionRead)
            }
        } catch let error as ImportError {
            progress.finish()
            try report(summary, of: command, isWhole: false)
            try Task.checkCancellation()
            throw CommandFailure(error.exitCode, "\(error)")
        } catch {
            progress.finish()
            try report(summary, of: command, isWhole: false)
            throw error
        }
        progress.finish()
        if command.isDryRun {
            try report(summary, of: command, isWhole: true)
        } else {
            try printResultsOfChange(summary.text) { try report(summary, of: command, isWhole: true) }
        }
        return summary.rejected.isEmpty ? .done : .partlyDone
    }

    private func reject(_ error: RowError, _ summary: inout ImportSummary) {
        summary.rejected.append(error)
        console.complain(error.description)
    }

    private func report(_ summary: ImportSummary, of command: Command.Import, isWhole: Bool) throws {
        for note in summary.notes { console.note(note) }
        if !isWhole {
            if summary.created + summary.updated + summary.unchanged > 0 {
                console.complain("the import was not finished: \(summary.text) so far; import the file again")
            }
        } else if options.json {
            try console.print(json: summary.json.text(pretty: console.results.isTerminal))
        } else {
            try console.print(command.isDryRun ? "Nothing was written. It would be: \(summary.text)" : summary.text)
        }
    }
}

extension ImportError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .noCurrency: .usage
        case .unreadable: .failed
        default: .badData
        }
    }
}
