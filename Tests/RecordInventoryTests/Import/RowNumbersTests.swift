import TestSupport
import XCTest

@testable import RecordInventory

final class RowNumbersTests: TimedTestCase {
    func testEachSKUIsFoundInItsFirstRow() throws {
        let numbers = try RowNumbers()
        let skus = try (0..<60_000).map { try SKU("LP-\($0)") }
        for (row, sku) in skus.enumerated() { XCTAssertNil(try numbers.earlierRow(of: sku, row)) }
        for (row, sku) in skus.enumerated() { XCTAssertEqual(try numbers.earlierRow(of: sku, row + 100_000), row) }
        XCTAssertEqual(try numbers.earlierRow(of: skus[7], 1), 7)
    }
}
