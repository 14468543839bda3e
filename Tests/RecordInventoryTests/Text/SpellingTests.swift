import TestSupport
import XCTest

@testable import RecordInventory

final class SpellingTests: TimedTestCase {
    func testDistances() {
        for (left, right, distance) in [
            ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
            ("price", "prcie", 1), ("a", "b", 1),
        ] {
            XCTAssertEqual(Spelling.distance(left, right), distance, "\(left) \(right)")
        }
    }

    func testOnlyNearWordsAreSuggested() {
        let words = ["import", "export", "list"]
        XCTAssertEqual(Spelling.nearest(to: "improt", in: words), "import")
        XCTAssertEqual(Spelling.nearest(to: "LIST", in: words), "list")
        XCTAssertNil(Spelling.nearest(to: "frobnicate", in: words))
        XCTAssertNil(Spelling.nearest(to: String(repeating: "x", count: 100_000), in: words))
        XCTAssertNil(Spelling.nearest(to: "x", in: []))
    }
}
