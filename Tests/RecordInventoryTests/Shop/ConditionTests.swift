import TestSupport
import XCTest

@testable import RecordInventory

final class ConditionTests: TimedTestCase {
    func testGradesOfOtherScalesAreHinted() {
        for (text, hint) in [
            ("Mint", "not a grade; did you mean M? use one of M, NM,"), ("near mint", "did you mean NM?"),
            ("Very Good Plus", "did you mean VG+?"), ("very-good", "did you mean VG?"),
            ("EX", "between VG+ and NM of the Goldmine standard; use one of"),
            ("excellent", "between VG+ and NM"),
        ] {
            XCTAssertThrowsError(try MediaCondition(text)) { error in
                XCTAssertTrue(((error as? InvalidValue)?.reason ?? "").contains(hint), "\(text): \(error)")
            }
            XCTAssertThrowsError(try SleeveCondition(text))
        }
    }

    func testShortAndDiscogsNamesAreReadAndWritten() throws {
        XCTAssertEqual(MediaCondition.allCases.map(\.rawValue), ["M", "NM", "VG+", "VG", "G+", "G", "F", "P"])
        for condition in MediaCondition.allCases {
            XCTAssertEqual(try MediaCondition(condition.rawValue.lowercased()), condition)
            XCTAssertEqual(try MediaCondition(" \(condition.discogsName) "), condition)
        }
        for condition in SleeveCondition.allCases {
            XCTAssertEqual(try SleeveCondition(condition.rawValue), condition)
            XCTAssertEqual(try SleeveCondition(condition.discogsName), condition)
            XCTAssertEqual(SleeveCondition(rawValue: condition.rawValue), condition)
        }
        XCTAssertEqual(SleeveCondition.allCases.suffix(3).map(\.rawValue), ["generic", "not_graded", "none"])
        XCTAssertEqual(try MediaCondition("Near Mint (NM or M-)"), .nearMint)
        XCTAssertEqual(try MediaCondition("M-"), .nearMint)
    }
}
