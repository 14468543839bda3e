import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class StoredRecordTests: TimedTestCase {
    func testOnlyWhatDiffersIsSent() throws {
        let stored = StoredRecord(record: try RecordTests.full(), version: Version(7))
        var sold = stored.record
        (sold.quantity, sold.status, sold.notes) = (0, .sold, nil)
        XCTAssertEqual(stored.changes(to: sold).text(), #"{"quantity":0,"status":"sold","notes":null}"#)
    }
}

final class UnreadableTests: TimedTestCase {
    func testItIsNamedByItsSKUWhereItsIDIsOne() {
        for (id, name) in [("LP-2", "LP-2"), ("x--LP_2042", "LP 42"), ("x--_4", "with the id x--_4")] {
            XCTAssertEqual(
                Unreadable(id: id, reason: "it has no title").description,
                "the record \(name) cannot be read: it has no title")
        }
    }
}
