import TestSupport
import XCTest

@testable import RecordInventory

final class SpellingTests: TimedTestCase {
    func testOnlyNearWordsAreSuggested() {
        let words = ["import", "export", "list"]
        XCTAssertEqual(Spelling.nearest(to: "improt", in: words), "import")
        XCTAssertEqual(Spelling.nearest(to: "LIST", in: words), "list")
        XCTAssertNil(Spelling.nearest(to: "frobnicate", in: words))
        XCTAssertNil(Spelling.nearest(to: String(repeating: "x", count: 100_000), in: words))
        XCTAssertNil(Spelling.nearest(to: "x", in: []))
    }
}
