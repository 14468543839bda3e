extension CommandRunner {
    func exportFile(_ file: Command.File) async throws -> ExitCode {
        let path =
            switch file {
            case .standard: "-"
            case .path(let path): path
            }
        var export = try InventoryExport(to: path)
        var count = 0
        let unreadable = try await eachPage { records in
            for stored in records { try export.write(stored.record) }
            count += records.count
            return true
        }
        try export.finish()
        console.note("Exported \(count) record\(count == 1 ? "" : "s")\(path == "-" ? "" : " to \(path)").")
        return unreadable == 0 ? .done : .partlyDone
    }
}
