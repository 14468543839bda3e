/// Writes records as our own CSV.
struct InventoryExport {
    private let file: OutputFile
    private var rows = CSVWriter()

    init(to path: String) throws(FileError) {
        file = try OutputFile(path)
        rows.write(InventoryCSV.header)
    }

    /// Whether a file of that name is there already, whose place the new one takes.
    var replacesFile: Bool { file.replacesFile }

    mutating func write(_ record: Record) throws(FileError) {
        rows.write(InventoryCSV.cells(of: record))
        try file.write(rows.take())
    }

    /// The file is in its place only after this.
    mutating func finish() throws(FileError) {
        try file.write(rows.take())
        try file.finish()
    }
}
