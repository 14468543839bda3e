import TestSupport
import XCTest

@testable import RecordInventory

final class ColumnMapTests: TimedTestCase {
    func testHeadingsAreQuotedAsInCSV() throws {
        let text = "\"barcode:GTIN, UPC\",sku: \"No \"\"1\"\"\" , media-condition:Grade\nstatus=draft"
        let map = try ColumnMap(text) { _ in ColumnMap() }
        XCTAssertEqual(map.columns.map(\.heading), ["GTIN, UPC", "No \"1\"", "Grade"])
        XCTAssertEqual(map.columns.map(\.field), [.barcode, .sku, .mediaCondition])
        XCTAssertEqual(map.constants, [.status: "draft"])
        XCTAssertEqual(try ColumnMap(map.text) { _ in ColumnMap() }, map)
    }
}
