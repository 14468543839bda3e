import Foundation

extension CommandRunner {
    func exportFile(_ path: String) async throws -> ExitCode {
        if case .store(let store) = place, OutputFile.isSame(path, as: URL(storePath: store)) {
            throw CommandFailure(.usage, "\(path) is the store itself; export to another file")
        }
        let file = try OutputFile(path)
        try file.write(CSVWriter.row(InventoryCSV.header))
        var count = 0
        let unreadable: Set<String>
        do {
            unreadable = try await eachPage { records in
                for stored in records { try file.write(CSVWriter.row(RecordField.texts(of: stored.record))) }
                count += records.count
                return true
            }
        } catch InventoryError.noShop {
            // A name was mistyped, most likely, and a header alone would pass for a backup.
            let state = file.replacesFile ? "\(path) stays as it is" : "nothing was exported"
            throw CommandFailure(.notFound, "\(state): \(noShop); check the names")
        }
        try file.finish()
        console.note("Exported \(count) record\(count == 1 ? "" : "s")\(path == "-" ? "" : " to \(path)").")
        return unreadable.isEmpty ? .done : .partlyDone
    }
}
