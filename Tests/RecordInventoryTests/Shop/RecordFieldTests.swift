import TestSupport
import XCTest

@testable import RecordInventory

final class RecordFieldTests: TimedTestCase {
    func testTextsHaveALimit() throws {
        var draft = RecordDraft()
        XCTAssertNoThrow(try draft.set(.notes, to: String(repeating: "x", count: 65_536)))
        XCTAssertThrowsError(try draft.set(.notes, to: String(repeating: "x", count: 65_537))) {
            XCTAssertEqual("\($0)", "notes \"\(String(repeating: "x", count: 60))…\": longer than 64 KiB")
        }
    }
}
