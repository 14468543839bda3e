import RecordKitStructuredFields
import TestSupport
import XCTest

final class StructuredFieldTests: TimedTestCase {
    private func text(_ item: StructuredField.Item) -> String { "\(item.value)" + text(item.parameters) }

    private func text(_ parameters: StructuredField.Parameters) -> String {
        parameters.all.map { ";\($0.name)=\($0.value)" }.joined()
    }

    private func text(_ member: StructuredField.Member) -> String {
        switch member {
        case .item(let item): text(item)
        case .innerList(let items, let parameters): "(\(items.map(text).joined(separator: " ")))\(text(parameters))"
        }
    }

    func testItems() {
        let cases: [(field: String, item: String?)] = [
            ("1", "integer(1)"), ("-0", "integer(0)"), ("  42 ", "integer(42)"),
            ("999999999999999", "integer(999999999999999)"), ("1000000000000000", nil), ("1.5", "decimal(1.5)"),
            ("-1.123", "decimal(-1.123)"), ("1.1234", nil), ("1.", nil), (".5", nil), ("--1", nil), ("- 1", nil),
            ("1234567890123.1", nil), ("+1", nil), ("1a", nil), ("", nil), ("\t1", nil), ("1\t", nil),
            (#""a\"b\\""#, #"string("a\"b\\")"#), (#""a\b""#, nil), ("\"a", nil), ("\"\u{7f}\"", nil), ("\"é\"", nil),
            ("'a'", nil), ("a", #"token("a")"#), ("*a/b:c", #"token("*a/b:c")"#), ("a b", nil), ("é", nil), ("a,", nil),
            (":aGVsbG8=:", "bytes([104, 101, 108, 108, 111])"), (":aGVsbG8:", "bytes([104, 101, 108, 108, 111])"),
            ("::", "bytes([])"), (":a GVs:", nil), (":a*:", nil), (":aGVsbG=8:", nil), (":aGVs", nil),
            ("?1", "boolean(true)"),
            ("?0", "boolean(false)"), ("?2", nil), ("?", nil), ("@1659578233", "date(1659578233)"), ("@1.5", nil),
            ("@", nil), (#"%"f%c3%bc""#, #"displayString("fü")"#), (#"%"f%C3%bc""#, nil), (#"%"%c3""#, nil),
            (#"%"a"#, nil), ("%a", nil), (#"%"%"#, nil), (#"%"a%0""#, nil),
            ("1;a;b=2; c=?0;a=x", #"integer(1);a=token("x");b=integer(2);c=boolean(false)"#), ("1;A=1", nil),
            ("1; ", nil), ("1 ;a", nil), ("1;a= 1", nil), ("1;a=", nil), ("1;a=(1)", nil),
            ("1;*a=1", "integer(1);*a=integer(1)"),
        ]
        for (field, item) in cases { XCTAssertEqual(StructuredField.item(field).map(text), item, field) }
    }

    /// Four times as many parameters take four times as long. Comparing each with all before it would take sixteen
    /// times.
    func testManyParameters() {
        func time(_ count: Int) -> Double {
            let field = "1" + (0..<count).map { ";name\($0)" }.joined()
            let start = clock()
            XCTAssertEqual(StructuredField.item(field)?.parameters.all.count, count)
            return Double(clock() - start)
        }
        XCTAssertLessThan(time(8_000), time(2_000) * 9)
    }

    func testLists() {
        let cases: [(field: String, list: [String]?)] = [
            ("", []), ("1, a;q=1 \t,\t\"b\"", ["integer(1)", #"token("a");q=integer(1)"#, #"string("b")"#]),
            ("1 \t", ["integer(1)"]), ("1,", nil), (",1", nil), ("1,,2", nil), ("1 2", nil), ("1, é", nil),
            ("()", ["()"]),
            (
                "(1 2);a, ( 3;b  4 )",
                ["(integer(1) integer(2));a=boolean(true)", "(integer(3);b=boolean(true) integer(4))"]
            ),
            ("(1 2", nil), ("(1,2)", nil), ("(1\"a\")", nil), ("(1\t2)", nil), ("((1))", nil),
        ]
        for (field, list) in cases { XCTAssertEqual(StructuredField.list(field)?.map(text), list, field) }
    }

    func testDictionaries() {
        let cases: [(field: String, members: [String]?)] = [
            ("", []), ("a=1, b;x, c=(1)", ["a=integer(1)", "b=boolean(true);x=boolean(true)", "c=(integer(1))"]),
            ("a=1,b=2,a=3", ["a=integer(3)", "b=integer(2)"]), ("a=1,", nil), ("a =1", nil), ("a= 1", nil),
            ("A=1", nil),
            ("1=a", nil), ("a=1 b=2", nil), ("a=", nil), ("a==", nil), ("a;b=", nil),
            ("a.b-c_*=1", ["a.b-c_*=integer(1)"]),
        ]
        for (field, members) in cases {
            XCTAssertEqual(StructuredField.dictionary(field)?.map { "\($0.name)=\(text($0.value))" }, members, field)
        }
    }

    func testSerializing() {
        var parameters = StructuredField.Parameters()
        parameters["a"] = .boolean(true)
        parameters["b"] = .string("x\"\\")
        parameters["c"] = .bytes([1])
        parameters["a"] = nil
        XCTAssertEqual(StructuredField.Item(.integer(-7), parameters).serialized, #"-7;b="x\"\\";c=:AQ==:"#)
        XCTAssertNil(StructuredField.Item(.string("é")).serialized)
        XCTAssertNil(StructuredField.Item(.integer(.min + 1)).serialized)
    }
}
