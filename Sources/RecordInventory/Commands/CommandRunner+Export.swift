import Foundation

extension CommandRunner {
    func exportFile(_ file: Command.File) async throws -> ExitCode {
        let path =
            switch file {
            case .standard: "-"
            case .path(let path): path
            }
        if case .store(let store) = place, OutputFile.isSame(path, as: URL(storePath: store)) {
            throw CommandFailure(.usage, "\(path) is the store itself; export to another file")
        }
        var export = try InventoryExport(to: path)
        var count = 0
        let unreadable: Set<String>
        do {
            unreadable = try await eachPageOfShop { records in
                for stored in records { try export.write(stored.record) }
                count += records.count
                return true
            }
        } catch InventoryError.noShop {
            // A name was mistyped, most likely: a good backup is worth more than a header.
            guard !export.replacesFile else {
                throw CommandFailure(
                    .notFound,
                    "\(path) stays as it is, since there is no shop to export: \(noShop); check the names, or export "
                        + "to a new file")
            }
            unreadable = []
            console.note("There are no records: \(noShop).")
        }
        try export.finish()
        console.note("Exported \(count) record\(count == 1 ? "" : "s")\(path == "-" ? "" : " to \(path)").")
        return unreadable.isEmpty ? .done : .partlyDone
    }
}
