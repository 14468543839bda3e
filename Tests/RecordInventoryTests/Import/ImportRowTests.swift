import TestSupport
import XCTest

@testable import RecordInventory

final class ImportRowTests: TimedTestCase {
    private func record(_ quantity: Int, _ status: Status) throws -> Record {
        var record = try RecordTests.minimal()
        (record.quantity, record.status) = (quantity, status)
        return record
    }

    func testARecordWithoutCopiesIsNotForSaleWithoutAQuantity() throws {
        for (stocked, row, fields, updated) in [
            ((0, .sold), (1, .forSale), [.status], (0, .sold)), ((0, .draft), (1, .forSale), [.status], (0, .draft)),
            ((3, .draft), (1, .forSale), [.status], (3, .forSale)), ((0, .sold), (1, .draft), [.status], (0, .draft)),
            ((0, .draft), (1, .forSale), [.status, .quantity], (1, .forSale)),
            ((0, .sold), (0, .forSale), [.status, .quantity], (0, .forSale)),
        ] as [((Int, Status), (Int, Status), Set<RecordField>, (Int, Status))] {
            let row = ImportRow(number: 2, record: try record(row.0, row.1), fields: fields)
            XCTAssertEqual(
                row.updating(try record(stocked.0, stocked.1)), try record(updated.0, updated.1),
                "\(stocked) \(row.fields)")
        }
    }
}

extension ImportRow {
    /// Returns the rows of a file with this content.
    static func all(in text: String, currency: String? = nil) throws -> [Result<ImportRow, RowError>] {
        let folder = try TemporaryFolder()
        let file = try InputFile(folder.write(text.utf8))
        var reader = try ImportReader(file, currency: currency.map { try Currency($0) })
        var rows: [Result<ImportRow, RowError>] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }
}

extension Result<ImportRow, RowError> {
    var number: Int {
        switch self {
        case .success(let row): row.number
        case .failure(let error): error.row
        }
    }

    var fields: Set<RecordField> { (try? get())?.fields ?? [] }
    var notes: [String] { (try? get())?.notes ?? [] }

    /// The reason why the row has no record.
    var reason: String? {
        guard case .failure(let error) = self else { return nil }
        return error.reason
    }
}
