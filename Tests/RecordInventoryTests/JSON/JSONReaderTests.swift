import TestSupport
import XCTest

@testable import RecordInventory

final class JSONReaderTests: TimedTestCase {
    func testValues() throws {
        let cases: [(String, JSONValue)] = [
            ("null", .null), (" true\n", true), ("false", false), ("0", 0), ("-0", 0),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number("9223372036854775808")),
            ("1.50", .number("1.50")), ("1e2", .number("1e2")), ("-2E-1", .number("-2E-1")), (#""""#, ""), ("[]", []),
            ("[ ]", []),
            ("{ }", [:]), ("[1, [2]]", [1, [2]]), (#"{"a" : {"b":[]}, "":1}"#, ["": 1, "a": ["b": []]]),
            (#"{"a":1,"b":3,"a":2}"#, ["a": 2, "b": 3]), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\uD83D\uDE00x""#, "é😀x"), ("\"é😀\u{7F}\"", "é😀\u{7F}"), (#""\u0000""#, "\0"),
        ]
        for (text, value) in cases {
            XCTAssertEqual(try JSONReader.read(Array(text.utf8)), value, text)
        }
    }

    func testInvalidJSON() {
        for text in [
            "", " ", "nul", "tru", "True", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
            "{a:1}", "{1:1}", "01", "-", "1.", ".5", "1e", "1e+", "+1", "1 2", "NaN", "Infinity", "1e999", "\"", "\"\\",
            "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u+123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
            "\"a\nb\"",
            "'a'", "/**/1", "\u{FEFF}1", "]", "}", ",",
        ] {
            XCTAssertThrowsError(try JSONReader.read(Array(text.utf8)), text)
        }
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF]] as [[UInt8]] {
            XCTAssertThrowsError(try JSONReader.read(bytes), "\(bytes)")
        }
        XCTAssertThrowsError(try JSONReader.read(Array("[1,x]".utf8))) {
            XCTAssertEqual(($0 as? JSONSyntaxError)?.offset, 3)
        }
    }

    func testDepth() throws {
        let nested = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        XCTAssertNoThrow(try JSONReader.read(nested(JSONReader.maximumDepth)))
        XCTAssertThrowsError(try JSONReader.read(nested(JSONReader.maximumDepth + 2)))
        XCTAssertThrowsError(try JSONReader.read([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)))
    }

    func testWrittenJSONIsReadBack() throws {
        let value: JSONValue = [
            "": ["": [:]], "a": "\"\\\n\r\t\u{1}\u{1F}é😀\0",
            "b": [1, .number("0.1"), .number("1e+300"), .null, true], "n": .integer(.min),
        ]
        XCTAssertEqual(try JSONReader.read(JSONWriter.bytes(value)), value)
        let read = try JSONReader.read(Array(#"{"b":1,"é":2,"é":3,"a":"é"}"#.utf8))
        XCTAssertEqual(
            Array(read.text().utf8), Array("{\"a\":\"é\",\"b\":1,\"e\u{301}\":3,\"é\":2}".utf8),
            "in order, each spelling separately")
    }
}
