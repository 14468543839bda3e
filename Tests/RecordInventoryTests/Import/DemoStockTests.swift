import TestSupport
import XCTest

@testable import RecordInventory

/// The files that `Scripts/demo` imports.
final class DemoStockTests: TimedTestCase {
    private func rows(_ name: String, currency: String?) throws -> [Result<ImportRow, RowError>] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Scripts/Samples")
        let file = try InputFile(folder.appendingPathComponent(name).path)
        var reader = try ImportReader(file, ImportOptions(currency: currency.map { try Currency($0) }))
        var rows: [Result<ImportRow, RowError>] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    func testEveryRowIsGood() throws {
        let own = try rows("inventory.csv", currency: nil).map { try $0.get().record }
        let discogs = try rows("discogs-inventory.csv", currency: "EUR").map { try $0.get().record }
        XCTAssertEqual(own.count, 500)
        XCTAssertEqual(discogs.count, 48)
        XCTAssertEqual(Set((own + discogs).map(\.sku)).count, 548)
        XCTAssertGreaterThanOrEqual(Set(own.map(\.price.currency)).count, 5)
    }
}
