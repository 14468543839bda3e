import RecordKitJSON
import TestSupport
import XCTest

final class EncodingTests: XCTestCase {
    private func text(_ value: some Encodable, _ change: (inout JSONWriter) -> Void = { _ in }) throws -> String {
        var writer = JSONWriter()
        change(&writer)
        return String(decoding: try writer.encode(value), as: UTF8.self)
    }

    /// Encodes as Foundation does, but for the order, and decodes what it has encoded.
    func testEncodesAsFoundationDoes() throws {
        try check(Album.sample)
        try check([Album.sample, Album.sample])
        try check([Payment.cash, .card(number: "1", year: 2), .voucher(3)])
        try check(Interleaved())
        try check(Numbers(a: -128, b: -3, d: .min, e: .max, f: 255, i: .max, j: 0.1, k: 1e-300, l: .max))
        try check([1.0, -0.0, 0.1, 1e21, 1e-7, 123456789.125, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
        try check([Float(0.1), 16777216, 1e10])
        try check([["a": [1: "b"]], [:]])
        try check([Int?.none, 1])
        try check([Album.Format.vinyl: 1, .disc: 2])
        try check("")
        try check("\u{0}\u{1}\u{1F}\u{7F}\"\\/\u{8}\u{C}\n\r\t\u{2028}é🎷" + String(repeating: "x/y\"", count: 20))
        try check([Int128.max, .min])
        try check([UInt64.max, 0, 9, 10, 99, 100, 10_000_000_000_000_000_000, 9_999_999_999_999_999_999])
        try check(Data())
        try check(URL(string: "https://example.com/é?x"))
        try check(Date(timeIntervalSinceReferenceDate: 1.5))
        try check(Decimal(string: "-123456789012345678901234567890.12345678"))
        try check(true)
        try check([[Int]]())
    }

    private func check<Value: Codable & Equatable>(_ value: Value, line: UInt = #line) throws {
        let ours = try JSONWriter().encode(value)
        let theirs = try JSONEncoder().encode(value)
        XCTAssertEqual(
            try JSONValue(reading: ours).sorted(), try JSONValue(reading: theirs).sorted(),
            String(decoding: ours, as: UTF8.self), line: line)
        XCTAssertEqual(try JSONReader().decode(Value.self, from: ours), value, line: line)
        XCTAssertEqual(try JSONReader().decode(Value.self, from: theirs), value, line: line)
        let strings = try JSONWriter().encode([value, value])
        XCTAssertEqual(strings, Data("[".utf8) + ours + Data(",".utf8) + ours + Data("]".utf8), line: line)
    }

    func testClasses() throws {
        let item = RecordItem(id: 1, title: "a")
        XCTAssertEqual(try text(item), #"{"title":"a","super":{"id":1}}"#)
        let read = try JSONReader().decode(RecordItem.self, from: JSONWriter().encode(item))
        XCTAssertEqual(read.id, 1)
        XCTAssertEqual(read.title, "a")
        XCTAssertThrowsError(try JSONReader().decode(RecordItem.self, from: Data(#"{"title":"a"}"#.utf8)))
        // What is encoded last for a name is kept.
        let flat = FlatItem(id: 1, title: "a")
        XCTAssertEqual(try text(flat), #"{"title":"a","id":2}"#)
        XCTAssertEqual(try JSONReader().decode(FlatItem.self, from: JSONWriter().encode(flat)).id, 2)
    }

    func testTheLastValueOfANameIsWritten() throws {
        struct Repeating: Encodable {
            var count: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: JSONKeyOfTests.self)
                for index in 0..<count { try container.encode(index, forKey: JSONKeyOfTests("name\(index % 10)")) }
            }
        }
        XCTAssertEqual(
            try JSONReader().decode([String: Int].self, from: JSONWriter().encode(Repeating(count: 15))).values
                .sorted(),
            Array(5..<15))
        let many = try JSONValue(reading: JSONWriter().encode(Repeating(count: 1_000)))
        XCTAssertEqual(many.object?.members.compactMap(\.value.integer), Array(990..<1000))
    }

    /// A member that fails leaves the one before it. Names are compared by bytes, however many there are.
    func testNamesAreComparedByBytes() throws {
        struct Names: Encodable {
            let count: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: JSONKeyOfTests.self)
                try container.encode(1, forKey: JSONKeyOfTests("é"))
                try container.encode(2, forKey: JSONKeyOfTests("e\u{301}"))
                for index in 0..<count { try container.encode(0, forKey: JSONKeyOfTests("name\(index)")) }
                try? container.encode(Double.nan, forKey: JSONKeyOfTests("é"))
            }
        }
        for count in [2, 40] {
            let members = try JSONValue(reading: JSONWriter().encode(Names(count: count))).object?.members ?? []
            XCTAssertEqual(members.count, count + 2)
            XCTAssertEqual(members.prefix(2).map(\.value), [1, 2])
        }
    }

    func testKeysAreSortedAsFoundationSortsThem() throws {
        var random = SplitMix(seed: 5)
        let parts = [
            "a", "b", "B", "z", "1", "10", " ", "!", "\"", "\\", "/", "é", "e\u{301}", "🎷", "\u{FFFD}", "\n", "_",
        ]
        let theirs = JSONEncoder()
        theirs.outputFormatting = .sortedKeys
        for _ in 0..<300 {
            var dictionary: [String: Int] = [:]
            for value in 0..<5 {
                let length = Int.random(in: 0...3, using: &random)
                let name = (0..<length).compactMap { _ in parts.randomElement(using: &random) }.joined()
                dictionary[name] = value
            }
            let expected = String(decoding: try theirs.encode(dictionary), as: UTF8.self)
            XCTAssertEqual(try text(dictionary) { $0.outputFormatting = .sortedKeys }, expected)
            let tree = JSONObject(dictionary.map { JSONObject.Member(name: $0, value: .integer($1)) })
            XCTAssertEqual(try text(tree) { $0.outputFormatting = .sortedKeys }, expected)
        }
    }

    /// A class and its superclass may write into one object.
    func testContainersForOneNameAreMerged() throws {
        struct Merging: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: JSONKeyOfTests.self)
                let (a, b, c, d) = (JSONKeyOfTests("a"), JSONKeyOfTests("b"), JSONKeyOfTests("c"), JSONKeyOfTests("d"))
                var first = container.nestedContainer(keyedBy: JSONKeyOfTests.self, forKey: a)
                try first.encode(1, forKey: b)
                try container.encode(["x": 1], forKey: b)
                var second = container.nestedContainer(keyedBy: JSONKeyOfTests.self, forKey: a)
                try second.encode(2, forKey: c)
                try first.encode(3, forKey: d)
                var third = container.nestedContainer(keyedBy: JSONKeyOfTests.self, forKey: b)
                try third.encode(4, forKey: c)
                var list = container.nestedUnkeyedContainer(forKey: c)
                try list.encode(5)
                var more = container.nestedUnkeyedContainer(forKey: c)
                XCTAssertEqual(more.count, 1)
                try? more.encode(Double.nan)
                XCTAssertThrowsError(try more.encode(Double.nan)) { error in
                    guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
                    // Foundation leaves the name out.
                    XCTAssertEqual(context.codingPath.last?.intValue, 1)
                }
                try more.encode(6)
                try list.encode(7)
                for name in 0..<40 {
                    for part in 0..<2 {
                        var list = container.nestedUnkeyedContainer(forKey: JSONKeyOfTests("n\(name)"))
                        try list.encode(part)
                    }
                }
            }
        }
        let rest = (0..<40).map { ",\"n\($0)\":[0,1]" }.joined()
        let expected = #"{"a":{"b":1,"c":2,"d":3},"b":{"x":1,"c":4},"c":[5,6,7]"# + rest + "}"
        XCTAssertEqual(try text(Merging()), expected)
        let theirs = try JSONValue(reading: JSONEncoder().encode(Merging()))
        XCTAssertEqual(try JSONValue(reading: Data(expected.utf8)).sorted(), theirs.sorted())
    }

    func testFormats() throws {
        struct Item: Encodable {
            var b: [JSONValue] = [1, [], [:], [2]]
            var a = ["x": "/"]
            var c: [String] = []
        }
        XCTAssertEqual(try text(Item()), #"{"b":[1,[],{},[2]],"a":{"x":"\/"},"c":[]}"#)
        XCTAssertEqual(
            try text(Item()) { $0.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] },
            #"{"a":{"x":"/"},"b":[1,[],{},[2]],"c":[]}"#)
        XCTAssertEqual(
            try text(Item()) { $0.outputFormatting = [.prettyPrinted, .sortedKeys] },
            """
            {
              "a": {
                "x": "\\/"
              },
              "b": [
                1,
                [],
                {},
                [
                  2
                ]
              ],
              "c": []
            }
            """)
        XCTAssertEqual(try text(1) { $0.outputFormatting = .prettyPrinted }, "1")
    }

    func testSnakeCaseAsFoundation() throws {
        let names = [
            "firstName", "homePageURL", "myURLPath", "_private", "a", "", "ABC", "aB", "aBC", "already_snake", "x1Y2",
            "éÀ",
            "HTMLParser", "iOSVersion", "getURL", "a1B", "ID",
        ]
        let theirs = JSONEncoder()
        theirs.keyEncodingStrategy = .convertToSnakeCase
        for name in names {
            let value = Named(name: name)
            XCTAssertEqual(
                try text(value) { $0.keyEncodingStrategy = .convertToSnakeCase },
                String(decoding: try theirs.encode(value), as: UTF8.self), name)
        }
        XCTAssertEqual(
            try text(["firstName": SnakeKeys()]) { $0.keyEncodingStrategy = .convertToSnakeCase }.contains(
                #""firstName":{"first_name":"Ada""#), true)
    }

    private struct Named: Encodable {
        var name: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: JSONKeyOfTests.self)
            try container.encode(1, forKey: JSONKeyOfTests(name))
        }
    }

    func testDates() throws {
        let date = Date(timeIntervalSince1970: 1_772_368_200.25)
        typealias Strategy = JSONWriter.DateEncodingStrategy
        let table: [(Strategy, String)] = [
            (.deferredToDate, "794061000.25"), (.secondsSince1970, "1772368200.25"),
            (.millisecondsSince1970, "1772368200250"), (.iso8601, #""2026-03-01T12:30:00Z""#),
            (.iso8601WithFractionalSeconds, #""2026-03-01T12:30:00.250Z""#),
            (.custom { try "\($0.timeIntervalSince1970)".encode(to: $1) }, #""1772368200.25""#),
        ]
        for (strategy, expected) in table {
            XCTAssertEqual(try text(date) { $0.dateEncodingStrategy = strategy }, expected)
            XCTAssertEqual(try text(["x": date]) { $0.dateEncodingStrategy = strategy }, "{\"x\":\(expected)}")
        }
    }

    func testNumbersThatJSONHasNot() throws {
        for value in [Double.infinity, -.infinity, .nan] {
            XCTAssertThrowsError(try text([["a": value]])) { error in
                guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
                XCTAssertEqual(context.codingPath.map(\.stringValue), ["Index 0", "a"])
            }
        }
        XCTAssertThrowsError(try text(Decimal.nan))
        let text = try text([Float.infinity, -.infinity, .nan, 1]) {
            $0.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        }
        XCTAssertEqual(text, #"["+","-","?",1]"#)
    }

    /// A member whose encoding failed is left out. What encodes nothing is an empty object, or an error alone.
    func testValuesThatEncodeNothing() throws {
        struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: JSONKeyOfTests.self)
                try? container.encode(Double.nan, forKey: JSONKeyOfTests("a"))
                try? container.encode(["x": Double.nan], forKey: JSONKeyOfTests("b"))
                try container.encode(Nothing(), forKey: JSONKeyOfTests("c"))
            }
        }
        XCTAssertThrowsError(try text(Nothing()))
        XCTAssertEqual(try text([Nothing()]), "[{}]")
        XCTAssertEqual(try text(Failing()), #"{"c":{}}"#)
    }

    /// What would trap in Foundation: the last value counts.
    func testAValueThatIsEncodedTwice() throws {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode("second")
            }
        }
        struct Changing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                var object = encoder.container(keyedBy: JSONKeyOfTests.self)
                try object.encode(2, forKey: JSONKeyOfTests("a"))
            }
        }
        XCTAssertEqual(try text(["x": Twice()]), #"{"x":"second"}"#)
        XCTAssertEqual(try text([Twice()]), #"["second"]"#)
        XCTAssertEqual(try text(Changing()), #"{"a":2}"#)
    }
}

struct JSONKeyOfTests: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
