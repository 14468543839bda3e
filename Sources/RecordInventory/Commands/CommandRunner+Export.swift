import Foundation

extension CommandRunner {
    func exportFile(_ path: String, forSpreadsheet: Bool) async throws -> ExitCode {
        try checkTarget(path)
        let file = try OutputFile(path)
        // Without a byte-order mark, Excel takes UTF-8 for Windows-1252.
        if forSpreadsheet { try file.write("\u{FEFF}".utf8) }
        try file.write(CSVWriter.row(forSpreadsheet ? InventoryCSV.spreadsheetHeader : InventoryCSV.header))
        let format = try InventoryCSV(InventoryCSV.header, nil, hasDecimalCommas: false)
        var count = 0
        var isWhole = true
        let unreadable: Set<String>
        let progress = ProgressBar("Exporting", on: console)
        defer { progress.finish() }
        do {
            unreadable = try await eachPage { records in
                for record in records.lazy.map(\.record) {
                    let texts = RecordField.texts(of: record)
                    let row = CSVWriter.row(forSpreadsheet ? InventoryCSV.spreadsheetTexts(of: texts) : texts)
                    var check = UTF8Check()
                    let isText = check.firstError(in: row) == nil
                    if let reason = format.refusal(of: texts) {
                        isWhole = false
                        complain(about: record.sku, reason, isLeftOut: !isText)
                    }
                    guard isText else { continue }
                    try file.write(row)
                    count += 1
                    progress.update(count, fraction: nil)
                }
                return true
            }
        } catch InventoryError.noShop {
            // The name was probably mistyped. A file with a header alone could pass for a backup.
            let state = file.replacesFile ? "\(path) stays as it is" : "nothing was exported"
            throw CommandFailure(.notFound, "\(state): \(noShop); check the names")
        } catch  where Task.isCancelled {
            let state =
                path == "-"
                ? "the output is incomplete" : file.replacesFile ? "\(path) stays as it is" : "\(path) was not written"
            console.complain("the export was interrupted: \(state)")
            throw error
        }
        try file.finish()
        console.note("Exported \(count.counted("record"))\(path == "-" ? "" : " to \(path)").")
        return unreadable.isEmpty && isWhole ? .done : .partlyDone
    }

    /// Throws if the path is the store, or a file that SQLite keeps beside it. These hold its latest changes. SQLite
    /// deletes any file in the place of its journal.
    private func checkTarget(_ path: String) throws {
        guard case .store(let store) = place else { return }
        // SQLite keeps them beside the target of a link, and names them after the target.
        let file = URL(storePath: store).resolvingSymlinksInPath().path(percentEncoded: false)
        for suffix in ["", "-wal", "-shm", "-journal"]
        where OutputFile.isSame(path, as: URL(filePath: file + suffix)) {
            let what = suffix.isEmpty ? "is" : "belongs to"
            throw CommandFailure(.usage, "\(path) \(what) the store itself; export to another file")
        }
    }

    /// Reports a record that import would refuse. Only another program can have stored it.
    private func complain(about sku: SKU, _ reason: String, isLeftOut: Bool) {
        let refused = isLeftOut ? "left out, since no import could read a file with it" : "one that import will refuse"
        console.complain("the record \(sku.text) is \(refused): \(reason); change it with `edit \(sku.text)`")
    }
}
