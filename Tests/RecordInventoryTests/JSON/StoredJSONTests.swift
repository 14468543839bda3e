import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// JSON as Kinto stores it.
final class StoredJSONTests: TimedTestCase {
    func testMembersAreSortedAndTheLastOfEachNameIsKept() throws {
        let value = try JSONValue(stored: Array(#"{"b":{"d":1.50,"c":2},"é":2,"é":3,"a":"é"}"#.utf8))
        XCTAssertEqual(value.text(), #"{"a":"é","b":{"c":2,"d":1.50},"é":3}"#)
        XCTAssertEqual(value.object?.value(at: "b.c"), 2)
        XCTAssertNil(value.object?.value(at: "b.c.d"))
    }

    func testAByteOrderMarkIsRefused() {
        XCTAssertThrowsError(try JSONValue(stored: Array("\u{FEFF}{}".utf8)))
    }

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
            let object = try JSONObject(json: JSONValue(stored: Array(#"{"n":\#(text)}"#.utf8)))
            XCTAssertEqual(try? object.value("n"), number, text)
        }
    }
}
