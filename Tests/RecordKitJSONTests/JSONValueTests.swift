import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

final class JSONValueTests: XCTestCase {
    func testKeepsOrderDigitsAndDuplicates() throws {
        let text = #"{"b":1.50,"a":[1e400,123456789012345678901234567890,-0],"b":null,"é\n":{"x":true}}"#
        let value = try JSONValue(reading: Data(text.utf8))
        XCTAssertEqual(value.text(), text)
        var bytes = Array("[".utf8)
        value.append(to: &bytes)
        XCTAssertEqual(bytes, Array("[\(text)".utf8))
        XCTAssertEqual(value.object?.members.map(\.name), ["b", "a", "b", "é\n"])
        XCTAssertEqual(value.object?["b"], .number(JSONNumber(known: "1.50")))
        XCTAssertEqual(try JSONReader().decode(JSONValue.self, from: Data(text.utf8)), value)
        XCTAssertEqual(try JSONWriter().encode(value), Data(text.utf8))
        struct Wrapped: Codable, Equatable {
            var id = 1
            var rest: JSONValue
            var object: JSONObject
            var number: JSONNumber
        }
        let wrapped = "{\"id\":1,\"rest\":\(text),\"object\":\(text),\"number\":1.50}"
        let decoded = try JSONReader().decode(Wrapped.self, from: Data(wrapped.utf8))
        XCTAssertEqual(String(decoding: try JSONWriter().encode(decoded), as: UTF8.self), wrapped)
        XCTAssertThrowsError(try JSONReader().decode([JSONObject].self, from: Data("[1]".utf8)))
        XCTAssertThrowsError(try JSONReader().decode([JSONNumber].self, from: Data("[{}]".utf8)))
    }

    func testSorting() throws {
        let value = try JSONValue(reading: Data(#"[{"b":{"d":1,"c":2},"a":1,"b":{"f":1,"e":2},"é":1,"é":2}]"#.utf8))
        XCTAssertEqual(value.sorted().text(), #"[{"a":1,"b":{"e":2,"f":1},"é":2}]"#)
        XCTAssertEqual(value.sorted().sorted(), value.sorted())
    }

    func testMembers() throws {
        var object: JSONObject = ["a": 1, "b": "x", "a": 2]
        XCTAssertEqual(object["a"], 1)
        XCTAssertNil(object["c"])
        object["c"] = true
        object["b"] = [1, ["x": .null]]
        object["a"] = nil
        XCTAssertEqual(JSONValue.object(object).text(), #"{"b":[1,{"x":null}],"c":true}"#)
        // Names are compared by bytes.
        object = ["é": 1, "e\u{301}": 2]
        XCTAssertEqual(object["e\u{301}"], 2)
        XCTAssertEqual("\(object)", #"{"é":1,"é":2}"#)
        XCTAssertEqual("\([.object(object), 1] as JSONValue)", #"[{"é":1,"é":2},1]"#)
    }

    /// Many members are found by an index, which follows each change.
    func testManyMembers() throws {
        var object = JSONObject((0..<40).map { JSONObject.Member(name: "name\($0 % 30)", value: .integer($0)) })
        XCTAssertEqual(object["name5"], 5)
        object["name5"] = "x"
        XCTAssertEqual(object.members[5].value, "x")
        object.members.insert(JSONObject.Member(name: "first", value: true), at: 0)
        XCTAssertEqual(object["name5"], "x")
        let copy = object
        object["new"] = 1
        object["name29"] = nil
        XCTAssertEqual([object["new"], object["name29"], copy["new"], copy["name29"]], [1, nil, nil, 29])
        object["more"] = 2
        XCTAssertEqual([object["more"], object["name28"]], [2, 28])
        object.members[0].name = "renamed"
        XCTAssertEqual([object["renamed"], object["first"]], [true, nil])
        object["absent"] = nil
        XCTAssertEqual(object.members.count, 42)
        XCTAssertEqual(JSONObject(object.members), object)
        XCTAssertEqual(JSONObject(sorting: object.members).members.count, 32)
    }

    func testNumbers() throws {
        for text in ["", "1 ", " 1", "01", "1.", "NaN", "\"1\"", "[1]", "\u{FEFF}1"] {
            XCTAssertNil(JSONNumber(text), text)
        }
        XCTAssertEqual(JSONNumber("1.50")?.text, "1.50")
        XCTAssertEqual(JSONNumber("1.50")?.decimal, Decimal(string: "1.5"))
        XCTAssertEqual(JSONNumber("150e-1")?.integer(), 15)
        XCTAssertNil(JSONNumber("1.5")?.integer(as: Int.self))
        XCTAssertNil(JSONNumber("300")?.integer(as: UInt8.self))
        XCTAssertNil(JSONNumber("1e400")?.double)
        XCTAssertEqual(JSONNumber(2.0)?.text, "2")
        XCTAssertNil(JSONNumber(Double.nan))
        XCTAssertEqual(JSONNumber(UInt64.max).text, "18446744073709551615")
        XCTAssertEqual(JSONValue.integer(-5).integer, -5)
    }

    /// Other coders keep what Codable can.
    func testOtherCoders() throws {
        let value: JSONValue = ["a": [1, "x", true, .null, -5], "b": .number(JSONNumber(1.5) ?? 0)]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(value)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), value.text())
        XCTAssertEqual(try JSONDecoder().decode(JSONValue.self, from: data).sorted(), value)
        for text in ["1e128", "5e-324", "-1.5e-130", "1.7976931348623157e308", "18446744073709551615", "0.1"] {
            let number = try JSONDecoder().decode(JSONNumber.self, from: Data(text.utf8))
            XCTAssertEqual(number.double, Double(text), text)
            XCTAssertNotNil(JSONNumber(number.text), text)
            XCTAssertEqual(
                Double(String(decoding: try JSONEncoder().encode(number), as: UTF8.self)), Double(text), text)
        }
        XCTAssertThrowsError(try JSONEncoder().encode(JSONNumber(known: "1e400")))
        XCTAssertThrowsError(try JSONNumber(from: NotANumber()), "The text of a number is never NaN.")
    }

    /// A decoder whose numbers are NaN.
    private struct NotANumber: Decoder, SingleValueDecodingContainer {
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }
        func singleValueContainer() -> any SingleValueDecodingContainer { self }
        func decodeNil() -> Bool { false }
        func decode(_ type: Double.Type) -> Double { .nan }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            guard let value = Decimal.nan as? Value else { throw CocoaError(.coderReadCorrupt) }
            return value
        }
        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw CocoaError(.coderReadCorrupt)
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw CocoaError(.coderReadCorrupt) }
    }

    func testPrettyText() throws {
        XCTAssertEqual(
            (["a": [1], "b": [], "c": [:]] as JSONValue).text(pretty: true),
            """
            {
              "a": [
                1
              ],
              "b": [],
              "c": {}
            }
            """)
    }

    func testRequests() async throws {
        struct Echo: NetworkRequest {
            typealias ValueType = JSONValue
            typealias ErrorType = NetworkError
            let value: JSONValue
            var method: HTTPMethod { .post }
            var path: RequestPath { "echo" }
            var body: JSONValue { value }
        }
        let value = try JSONValue(reading: Data(#"{"b":1.50,"a":[]}"#.utf8))
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(statusCode: 200, body: try await call.body?.data() ?? Data(), url: call.url)
        }
        let network = NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment("https://example.com"), transport: transport))
        assertEqual(try await network.value(for: Echo(value: value)), value)
    }
}

/// Values that are read in place.
final class JSONViewTests: XCTestCase {
    func testIsWhatTheTreeIs() throws {
        func check(_ view: JSONView, _ tree: JSONValue) {
            XCTAssertEqual(view.tree, tree)
            XCTAssertEqual(view.isNull, tree == .null)
            XCTAssertEqual(view.bool, tree.bool)
            XCTAssertEqual(view.string, tree.string)
            XCTAssertEqual(view.number, tree.number)
            XCTAssertEqual(view.integer, tree.integer)
            XCTAssertEqual(view.isObject, tree.object != nil)
            XCTAssertEqual(view.elements?.count, tree.array?.count)
            for (one, other) in zip(view.elements ?? [], tree.array ?? []) { check(one, other) }
            XCTAssertEqual(view.members?.map(\.name), tree.object?.members.map(\.name))
            for (one, other) in zip(view.members ?? [], tree.object?.members ?? []) { check(one.value, other.value) }
        }
        let texts = [
            "null", "[true,false,\"\"]", "{}", "[[],[[1,{}],2],{\"a\":[{\"b\":[]}],\"a\":null}]", #""é\n\u00e9""#,
            "[1,-0,1.50,1e2,1e400,1.5,9223372036854775807,9223372036854775808]", #"{"":1,"a\n":{"é":2}}"#,
        ]
        for text in texts {
            // The view has a copy of the document.
            check(try JSONView(reading: Array(text.utf8)), try JSONValue(reading: Data(text.utf8)))
        }
    }

    func testTheLastMemberOfANameIsFoundByItsBytes() throws {
        let text = #"{"a":1,"b":{"a":9},"\u0061":2,"":3,"e\u0301":4,"é":5,"ab":6,"K":7,"n":null}"#
        let view = try JSONView(reading: Data(text.utf8))
        for (name, value) in [("a", 2), ("", 3), ("e\u{301}", 4), ("é", 5), ("ab", 6), ("K", 7)] as [(String, Int64)] {
            XCTAssertEqual(view.last(name)?.integer, value, name)
        }
        XCTAssertEqual(view.last("n")?.isNull, true)
        XCTAssertNil(view.last("c"))
        XCTAssertNil(view.last("\u{212A}"), "The Kelvin sign is equivalent to K.")
        XCTAssertNil(view.last("a")?.last("a"))
    }

    func testAPartIsDecodedOrKept() throws {
        struct Sleeve: Codable, Equatable {
            var grade: Int
            var notes: [String]?
        }
        struct Pressing: Decodable {
            var id: String
            var rest: JSONView
        }
        let text = #"{"all":[{"id":"a","rest":{"grade":1,"notes":["x",2]}},{"id":"b","rest":{}}]}"#
        let all = try XCTUnwrap(JSONView(reading: Data(text.utf8)).last("all")?.elements)
        let rest = try all[0].decode(Pressing.self).rest
        XCTAssertEqual(rest.text, #"{"grade":1,"notes":["x",2]}"#)
        XCTAssertEqual(try JSONDecoder().decode(JSONView.self, from: Data(#"{"a":[1]}"#.utf8)).text, #"{"a":[1]}"#)
        XCTAssertEqual(try JSONView(["grade": 2]).decode(), Sleeve(grade: 2))
        func path(_ view: JSONView) -> [String]? {
            let result = Result { try view.decode(Sleeve.self) }
            guard case .failure(let error) = result, let error = error as? DecodingError else { return nil }
            switch error {
            case .typeMismatch(_, let context), .dataCorrupted(let context), .valueNotFound(_, let context):
                return context.codingPath.map(\.stringValue)
            case .keyNotFound(let key, let context): return (context.codingPath + [key]).map(\.stringValue)
            @unknown default: return nil
            }
        }
        XCTAssertEqual(path(rest), ["notes", "Index 1"], "the path begins at the value")
        XCTAssertEqual(path(try all[1].decode(Pressing.self).rest), ["grade"])
        XCTAssertEqual(path(try JSONView(["grade": .null])), ["grade"])
        XCTAssertEqual(path(try JSONView(["grade": "x"])), ["grade"])
        XCTAssertEqual(path(try JSONView(["grade": .number(JSONNumber(known: "1e30"))])), ["grade"])
        let deep = (0..<600).reduce(JSONValue.null) { value, _ in .array([value]) }
        XCTAssertThrowsError(try JSONView(deep))
    }

    func testADocumentIsCheckedAsAWhole() {
        XCTAssertThrowsError(try JSONView(reading: Data(#"{"a":1,"b":[1,]}"#.utf8)))
        XCTAssertThrowsError(try JSONView(reading: Data("[[[]]]".utf8), depthLimit: 2))
    }
}

extension JSONView {
    fileprivate var text: String { tree.text() }
}

extension JSONNumber {
    init(known text: String) { self = JSONNumber(text) ?? 0 }

    func testRemovedMembers() {
        for count in [3, 40] {
            var object = JSONObject((0..<count).map { JSONObject.Member(name: "n\($0 % 30)", value: .integer($0)) })
            let copy = object
            object["n1"] = nil
            XCTAssertNil(object["n1"])
            XCTAssertEqual(object.members.count, count == 3 ? 2 : 38, "both of the name")
            XCTAssertEqual(object, JSONObject(copy.members.filter { $0.name != "n1" }))
            object.members.append(JSONObject.Member(name: "n1", value: true))
            XCTAssertEqual(object["n1"], true)
            XCTAssertEqual(object["n2"], 2)
            XCTAssertEqual(copy["n1"], 1)
            XCTAssertEqual(copy.members.count, count)
        }
    }
}
