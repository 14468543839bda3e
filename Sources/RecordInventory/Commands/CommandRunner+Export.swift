extension CommandRunner {
    func exportFile(_ file: Command.File) async throws {
        let path =
            switch file {
            case .standard: "-"
            case .path(let path): path
            }
        var export = try InventoryExport(to: path)
        var count = 0
        try await stock.eachPage { page in
            for stored in page { try export.write(stored.record) }
            count += page.count
            return true
        }
        try export.finish()
        console.note("Exported \(count) records\(path == "-" ? "" : " to \(path)").")
    }
}
