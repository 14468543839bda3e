import Foundation
import TestSupport
import XCTest

@testable import RecordInventory

final class JSONWriterTests: TimedTestCase {
    func testKeepsTheOrderOfMembers() {
        let json: JSONValue = ["b": .integer(1), "a": [.bool(true), .null, []], "c": [:]]
        XCTAssertEqual(json.text(), #"{"b":1,"a":[true,null,[]],"c":{}}"#)
        XCTAssertEqual(
            json.text(pretty: true),
            """
            {
              "b": 1,
              "a": [
                true,
                null,
                []
              ],
              "c": {}
            }
            """)
    }

    func testEscapesWhatHasToBe() throws {
        let text = "\"quoted\" \\ / \u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F} Ü見🎵 \u{2028}"
        let json = JSONValue.string(text).text()
        XCTAssertEqual(
            json, #""\"quoted\" \\ / \u0008\u000c\n\r\t\u0001\u001f"# + "\u{7F} Ü見🎵 \u{2028}\"")
        XCTAssertEqual(try JSONDecoder().decode(String.self, from: Data(json.utf8)), text)
    }

    func testExtremeNumbers() {
        XCTAssertEqual(JSONValue.array([.integer(.min), .integer(.max)]).text(), "[\(Int64.min),\(Int64.max)]")
    }

    func testANumberKeepsItsDigits() throws {
        let text = #"{"a":12345678901234567890,"b":[0.1,-7,2.50,true,null],"c":"x"}"#
        XCTAssertEqual(try JSONReader.read(Array(text.utf8)).text(), text)
    }
}
