import RecordKitJSON
import XCTest

/// What is JSON, and what isn't, according to RFC 8259.
final class GrammarTests: XCTestCase {
    func testAcceptsWhatTheGrammarAllows() throws {
        let documents = [
            "null", "true", "false", "0", "-0", "1", "-1", "123", "0.1", "-0.1", "1.0", "1e1", "1E1", "1e+1", "1e-1",
            "0e1", "0e+1", "1.5e300", "123e65", "-123.456e-78", "123456789012345678901234567890",
            "1.000000000000000000000000000000000000001", #""""#, #"" ""#, #""a""#, #""\"\\\/\b\f\n\r\t""#,
            #""\u0041""#, #""\u0000""#, #""\uFFFF""#, #""\u00e9\u00E9""#, #""\ud834\udd1e""#, #""\uD834\uDD1E""#,
            #""\uDBFF\uDFFF""#, #""\\u0041""#, "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"", "\"\u{10FFFF}\"",
            "\"é\"", "\"e\u{301}\"", "\"🎷\"", "\"\u{FFFE}\"", "[]", "[ ]", "[\n]", "[1]", "[1,2]", " [ 1 , 2 ] ",
            "[[]]", "[[],[]]", "[{}]", "[null,true,false,1,\"a\",[],{}]", "{}", "{ }", #"{"a":1}"#, #"{"":1}"#,
            #"{"a":1,"b":2}"#, #"{ "a" : 1 , "b" : [ ] }"#, #"{"a":{"b":{"c":[]}}}"#, #"{"a":1,"a":2}"#,
            #"{"\u0061":1,"é":2}"#, "\t\r\n 1 \t\r\n", "\u{FEFF}[1]", "12345678901234567890", "\"12345678\"",
            "\"123456789012345678901234567890\"", #""1234567\n8""#, #""12345678\n""#, "[\"\",\"\"]",
            String(repeating: "[", count: 512) + String(repeating: "]", count: 512),
        ]
        for document in documents {
            XCTAssertNoThrow(try JSONValue(reading: Data(document.utf8)), document)
            if document.first != "\u{FEFF}" {
                XCTAssertNoThrow(
                    try JSONSerialization.jsonObject(with: Data(document.utf8), options: .fragmentsAllowed), document)
            }
        }
    }

    func testRejectsEverythingElse() throws {
        let documents = [
            "", " ", "\u{FEFF}", "nul", "nulL", "nullx", "Null", "True", "truefalse", "tru", "fals", "NaN", "Infinity",
            "-Infinity", "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1e-", "1ee1", "1e1.5",
            "0x10", "1 2", "1,", "1_000", "--1", "-a", "1a", "0.1.2", "１", "[", "]", "[1", "[1,", "[,", "[,1]", "[1,]",
            "[1,,2]", "[1 2]", "[1}", "[1]]", "[1],", "[1;2]", "(1)", "{", "}", "{]", #"{"a""#, #"{"a":"#, #"{"a":1"#,
            #"{"a":1,"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a"::1}"#, #"{"a":1 "b":2}"#, #"{"a",1}"#,
            "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{[]:1}", #"{"a":}"#, #"{"a":1}}"#, #"{"a":1,,"b":2}"#,
            #"{"a":1;"b":2}"#, "'a'", "\"", "\"a", #""\""#, #""\x""#, #""\a""#, #""\U0041""#, #""\u""#, #""\u004""#,
            #""\u004g""#, #""\u 041""#, #""\u+041""#, #""\ud800""#, #""\ud800\u0041""#, #""\ud800\n""#, #""\ud800a""#,
            #""\ud800\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""\uD83D\""#, #""\ud834\"#, "\"\n\"", "\"\t\"",
            "\"\u{0}\"", "\"\u{1F}\"", "[\"a\u{0}b\"]", "\u{0}", "1\u{0}", "[1]\u{0}", "[1,\u{0}2]", "[1]x", "/* */ 1",
            "1 // one", "# 1\n1", "[\u{A0}1]", "[\u{2003}1]", "\u{C}1", "\u{B}1", "[1\u{C}]", "\"a\"\"b\"", "a",
            "\\u0031",
            "[\\u0031]", "\u{FEFF}\u{FEFF}1", "<a/>", "\"12345678", "\"1234567\u{1}\"",
            String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
            String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
        ]
        for document in documents { assertFails(Array(document.utf8), String(document.prefix(40))) }
        // Each byte of a document is needed.
        let whole = #"{"a":[1.5e3,true,null,"é\u00e9\n"],"b":{"c":false}}"#.utf8
        for length in 0..<whole.count { assertFails(Array(whole.prefix(length)), "\(length) bytes") }
    }

    func testRejectsWhatIsNotUTF8() throws {
        let sequences: [[UInt8]] = [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x8E], [0xF0, 0x28, 0x8C, 0xBC],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE9], [0xC3, 0xA9, 0xE9],
        ]
        for sequence in sequences {
            assertFails([0x22] + sequence + [0x22], "\(sequence)")
            assertFails(Array("{\"a".utf8) + sequence + Array("\":1}".utf8), "\(sequence) in a name")
            assertFails(Array("\"".utf8) + sequence, "\(sequence) at the end")
            assertFails(sequence, "\(sequence) alone")
        }
        assertFails([0xFF, 0xFE, 0x5B, 0, 0x5D, 0], "UTF-16")
        assertFails([0, 0x5B, 0, 0x5D], "UTF-16 without a mark")
    }

    /// The whole document is checked, also what no type reads.
    func testChecksWhatIsNotRead() throws {
        struct Empty: Decodable {}
        for rest in ["1e", "\"\u{1}\"", "[1,]", "\"\\ud800\"", "tru", "{\"b\"}"] {
            XCTAssertThrowsError(try JSONReader().decode(Empty.self, from: Data("{\"a\":\(rest)}".utf8)), rest)
        }
    }

    func testTellsThePlaceOfAFault() throws {
        let table: [(String, Int, String)] = [
            ("[1,x]", 3, "no value begins like this"), ("[1", 2, "a comma or ] is missing"),
            ("{\"a\" 1}", 5, "a colon is missing"), ("{1}", 1, "a name in quotation marks is missing"),
            ("\"a", 2, "a string does not end"), ("[1]x", 3, "something follows the value"),
            ("[01]", 1, "a number begins with 0"), ("[1.]", 3, "a digit is missing"),
            ("", 0, "the text ends where a value should be"),
            ("[[", 1, "it is nested more than 1 levels deep"),
        ]
        for (document, offset, reason) in table {
            XCTAssertThrowsError(try JSONValue(reading: Data(document.utf8), depthLimit: 1), document) { error in
                let error = error as? JSONSyntaxError
                XCTAssertEqual(error?.offset, offset, document)
                XCTAssertEqual(error?.reason, reason, document)
            }
        }
        XCTAssertThrowsError(try JSONReader().decode(Int.self, from: Data("[1,x]".utf8))) { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
            XCTAssertEqual((context.underlyingError as? JSONSyntaxError)?.offset, 3)
        }
    }

    func testDocumentsHaveALimit() throws {
        // The pages of the zeros are never touched.
        let large = Data(count: (1 << 28) + 1)
        XCTAssertThrowsError(try JSONValue(reading: large)) {
            XCTAssertEqual(($0 as? JSONSyntaxError)?.reason, "the document is larger than 256 MB")
        }
    }

    private func assertFails(_ document: [UInt8], _ name: String, line: UInt = #line) {
        XCTAssertThrowsError(try JSONValue(reading: document), name, line: line) {
            XCTAssert($0 is JSONSyntaxError, name, line: line)
        }
    }
}
