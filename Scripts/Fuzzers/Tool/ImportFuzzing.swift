import Foundation

#if !FUZZER
@testable import RecordInventory
#endif

/// Checks a file to import. Its records are exported so that they are imported as the same records.
enum ImportFuzzing {
    private static let file = FileManager.default.temporaryDirectory.appending(path: "fuzzed-\(getpid()).csv")

    static func check(_ bytes: [UInt8]) {
        defer { try? FileManager.default.removeItem(at: file) }
        guard let records = records(in: bytes), !records.isEmpty else { return }
        let rows = records.map { CSVWriter.row(RecordField.texts(of: $0)) }
        let exported = rows.reduce(CSVWriter.row(InventoryCSV.header), +)
        if records != self.records(in: exported) {
            violation(
                "an export is imported alike", String(decoding: bytes, as: UTF8.self),
                String(decoding: exported, as: UTF8.self))
        }
    }

    private static func records(in bytes: [UInt8]) -> [Record]? {
        do {
            try Data(bytes).write(to: file)
            var reader = try ImportReader(InputFile(file.path), ImportOptions(currency: Currency("EUR")))
            var records: [Record] = []
            while let row = try reader.next() {
                if case .success(let row) = row { records.append(row.record) }
            }
            return records
        } catch {
            _ = "\(error)"
            return nil
        }
    }
}
