import XCTest

@testable import RecordInventory

final class StoredRecordTests: XCTestCase {
    func testOnlyWhatDiffersIsSent() throws {
        let stored = StoredRecord(record: try RecordTests.full(), version: Version(7))
        var sold = stored.record
        (sold.quantity, sold.status, sold.notes) = (0, .sold, nil)
        XCTAssertEqual(stored.changes(to: sold).text(), #"{"quantity":0,"status":"sold","notes":null}"#)
    }
}
