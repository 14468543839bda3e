import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// JSON as Kinto stores it.
final class StoredJSONTests: TimedTestCase {
    func testMembersAreSortedAndTheLastOfEachNameIsKept() throws {
        let text = #"{"b":{"d":1.50,"c":2},"é":2,"é":3,"a":"é"}"#
        XCTAssertEqual(try JSONValue(stored: Data(text.utf8)).text(), #"{"a":"é","b":{"c":2,"d":1.50},"é":3}"#)
        let view = try JSONView(stored: Data(text.utf8))
        XCTAssertEqual(view.value(at: "b.c")?.integer, 2)
        XCTAssertNil(view.value(at: "b.c.d"))
        XCTAssertEqual(try view.value("é"), 3)
    }

    func testAByteOrderMarkIsRefused() { XCTAssertThrowsError(try JSONView(stored: Data("\u{FEFF}{}".utf8))) }

    func testNestingIsLimited() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        XCTAssertNoThrow(try JSONValue(stored: nested(200)))
        XCTAssertThrowsError(try JSONValue(stored: nested(202)))
        XCTAssertThrowsError(try JSONValue(stored: [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)))
    }

    func testNumbersOfMembers() throws {
        for (text, number) in [("5", 5), ("1e2", 100), ("1.50", nil), ("1e300", nil), ("9223372036854775808", nil)]
            as [(String, Int?)]
        {
            let object = try JSONView(stored: Array(#"{"n":\#(text)}"#.utf8))
            XCTAssertEqual(try? object.value("n"), number, text)
        }
    }
}
