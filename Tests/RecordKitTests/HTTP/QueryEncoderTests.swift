import RecordKit
import TestSupport
import XCTest

final class QueryEncoderTests: TimedTestCase {
    private func text(_ value: some Encodable, _ encoder: QueryEncoder = QueryEncoder()) -> String {
        RequestQuery(encoding: value, using: encoder).items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private func wire(_ value: some Encodable, _ encoder: QueryEncoder) throws -> String? {
        try Ask<Data>(query: RequestQuery(encoding: value, using: encoder)).call(in: "https://store.example")
            .url.query(percentEncoded: true)
    }

    func testEachOption() {
        struct Dated: Encodable { var soldOn = Date(timeIntervalSince1970: 1_772_360_417.25) }
        struct Nested: Encodable { var labelURL = ["a": 1] }
        struct Partial: Encodable {
            var yes = true
            var text: String?
            var number: Int?
            var object: Nested?
        }
        let list = ["a": ["x", "y,z"]]
        let table: [(any Encodable, QueryEncoder, String)] = [
            (list, QueryEncoder(), "a=x&a=y,z"), (list, QueryEncoder(arrays: .brackets), "a[]=x&a[]=y,z"),
            (list, QueryEncoder(arrays: .indexed), "a[0]=x&a[1]=y,z"), (list, QueryEncoder(arrays: .commas), "a=x,y,z"),
            (Nested(), QueryEncoder(), "labelURL[a]=1"), (Nested(), QueryEncoder(keys: .snakeCase), "label_url[a]=1"),
            (Nested(), QueryEncoder(keys: .converted { $0.uppercased() }), "LABELURL[a]=1"),
            (Dated(), QueryEncoder(), "soldOn=2026-03-01T10:20:17Z"),
            (Dated(), QueryEncoder(dates: .iso8601WithFractionalSeconds), "soldOn=2026-03-01T10:20:17.250Z"),
            (Dated(), QueryEncoder(dates: .secondsSince1970), "soldOn=1772360417.25"),
            (Dated(), QueryEncoder(dates: .millisecondsSince1970), "soldOn=1772360417250"),
            (Dated(), QueryEncoder(dates: .formatted { "\(Int($0.timeIntervalSince1970))!" }), "soldOn=1772360417!"),
            (Partial(), QueryEncoder(), "yes=true"),
        ]
        for (value, encoder, expected) in table { XCTAssertEqual(text(value, encoder), expected) }
    }

    func testTheWholeOfEachStyleOnTheWire() throws {
        struct List: Encodable { var a = [1, 2], b = ["c": [true, false]], d: Int? }
        let table: [(QueryEncoder, String)] = [
            (QueryEncoder(), "a=1&a=2&b%5Bc%5D=true&b%5Bc%5D=false"),
            (QueryEncoder(arrays: .brackets), "a%5B%5D=1&a%5B%5D=2&b%5Bc%5D%5B%5D=true&b%5Bc%5D%5B%5D=false"),
            (QueryEncoder(arrays: .indexed), "a%5B0%5D=1&a%5B1%5D=2&b%5Bc%5D%5B0%5D=true&b%5Bc%5D%5B1%5D=false"),
            (QueryEncoder(arrays: .commas), "a=1,2&b%5Bc%5D=true,false"),
        ]
        for (encoder, expected) in table { XCTAssertEqual(try wire(List(), encoder), expected) }
        XCTAssertEqual(try wire(["a": ["x,y", "", "z w"]], QueryEncoder(arrays: .commas)), "a=x%2Cy,,z%20w")
    }

    func testListsInTheirPlaceAmongOthers() {
        struct Mixed: Encodable { var a = 1, b = [2, 3], c = 4, d = [Int](), e = [5], f = 6 }
        XCTAssertEqual(text(Mixed(), QueryEncoder(arrays: .commas)), "a=1&b=2,3&c=4&e=5&f=6")
    }

    func testNilsWithinLists() {
        let list: [String: [Int?]] = ["a": [1, nil, 3]]
        XCTAssertEqual(text(list), "a=1&a=3")
        XCTAssertEqual(text(list, QueryEncoder(arrays: .indexed)), "a[0]=1&a[2]=3")
        XCTAssertEqual(text(list, QueryEncoder(arrays: .commas)), "a=1,3")
    }

    func testAnObjectThatIsNilHasNoItems() throws {
        let none: [String: Int]? = nil
        XCTAssertNil(try wire(none, QueryEncoder()))
    }

    func testTheNamesOfALiteralAreConverted() {
        let encoder = QueryEncoder(keys: .snakeCase)
        var query = RequestQuery(["createdAfter": 1, "tags": ["someKey": 2], "page_size": 3], using: encoder)
        query.add("createdBefore", 4, using: encoder)
        XCTAssertEqual(query.description, "created_after=1&tags[someKey]=2&page_size=3&created_before=4")
        let plain: RequestQuery = ["createdAfter": 1]
        XCTAssertEqual(plain.description, "createdAfter=1")
    }

    func testKeysOfADictionaryAreDataAndStay() {
        struct Outer: Encodable { var innerMap = ["someKey": 1] }
        XCTAssertEqual(text(Outer(), QueryEncoder(keys: .snakeCase)), "inner_map[someKey]=1")
    }

    func testADictionaryHasTheOrderOfItsKeysWhateverTheirType() {
        enum Side: String, Encodable, CodingKeyRepresentable, CaseIterable { case sideA, sideB, sideC, sideD, sideE }
        let numbers = Dictionary(uniqueKeysWithValues: [1, 2, 3, 7, 8, 9, 10, 11].map { ($0, "x") })
        XCTAssertEqual(text(numbers), "1=x&10=x&11=x&2=x&3=x&7=x&8=x&9=x")
        let sides = Dictionary(uniqueKeysWithValues: Side.allCases.map { ($0, 1) })
        XCTAssertEqual(
            text(["on": sides], QueryEncoder(keys: .snakeCase)),
            "on[sideA]=1&on[sideB]=1&on[sideC]=1&on[sideD]=1&on[sideE]=1")
    }

    func testASetHasTheOrderOfItsTexts() throws {
        enum Side: String, Encodable, CaseIterable { case a, b, c, d, e, f, g, h }
        for encoder in [QueryEncoder(), QueryEncoder(arrays: .commas), QueryEncoder(arrays: .indexed)] {
            XCTAssertEqual(
                text(["on": Set(Side.allCases)], encoder), text(["on": Side.allCases.map(\.rawValue)], encoder))
        }
        XCTAssertEqual(
            text(["n": Set([[2], [1, 3], [1, 2]])], QueryEncoder(arrays: .indexed)),
            "n[0][0]=1&n[0][1]=2&n[1][0]=1&n[1][1]=3&n[2][0]=2")
        XCTAssertEqual(
            RequestQuery(["n": Set(["b", "a", "d", "c"])], using: QueryEncoder()).description, "n=a&n=b&n=c&n=d")
        XCTAssertThrowsError(try wire(["n": Set([Double.infinity])], QueryEncoder())) { error in
            XCTAssertTrue("\(error)".contains("n[0],"), "\(error)")
        }
    }

    func testSnakeCase() {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct One: Encodable {
            let name: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: name))
            }
        }
        let table = [
            "firstPressing": "first_pressing", "myURLProperty": "my_url_property", "sku": "sku", "ID": "id",
            "already_snake": "already_snake", "side2Track": "side2_track", "A": "a", "": "",
        ]
        for (name, expected) in table where !name.isEmpty {
            XCTAssertEqual(text(One(name: name), QueryEncoder(keys: .snakeCase)), "\(expected)=1")
        }
    }

    func testIntegersOf128Bits() {
        struct Wide: Encodable {
            var a = Int128.max
            var b: UInt128? = .max
            var c: Int128?
            var d = [Int128(1), -2]
            var e = UInt128.max
        }
        XCTAssertEqual(
            text(Wide()),
            "a=170141183460469231731687303715884105727&b=340282366920938463463374607431768211455&d=1&d=-2"
                + "&e=340282366920938463463374607431768211455")
        XCTAssertEqual(text(["a": [UInt128(1)]]), "a=1")
    }

    func testAClassWithASuperclassAndHandWrittenContainers() {
        class Base: Encodable { var a = 1 }
        class Derived: Base {
            enum Keys: String, CodingKey { case b, list, object, last }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(2, forKey: .b)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
                try object.encode(5, forKey: .b)
                try list.encode(3)
                try list.encodeNil()
                try list.encode(4)
                try container.encode(6, forKey: .last)
                try super.encode(to: container.superEncoder())
            }
        }
        XCTAssertEqual(text(Derived()), "b=2&list=3&list=4&object[b]=5&last=6&super[a]=1")
        XCTAssertEqual(text(Derived(), QueryEncoder(arrays: .commas)), "b=2&list=3,4&object[b]=5&last=6&super[a]=1")
    }

    func testAValueWithoutAFormIsAnErrorThatNamesItsPath() {
        struct Node: Encodable {
            let next: [Node]
            static func nested(_ depth: Int) -> Node { Node(next: depth == 0 ? [] : [nested(depth - 1)]) }
        }
        let commas = QueryEncoder(arrays: .commas)
        let table: [(any Encodable, QueryEncoder, String)] = [
            (["a": ["b": Double.infinity]], QueryEncoder(), "a.b"), (["a": [1, .nan]], QueryEncoder(), "a[1]"),
            (["a": [["b": 1]]], commas, "a[0].b"), (["a": [[1]]], commas, "a[0][0]"),
            (["a": [["b": [1]]]], commas, "a[0].b[0]"), (["a": [["b": 1], ["b": 2]]], QueryEncoder(), "a[0].b"),
            (["a": [[1], [2]]], QueryEncoder(), "a[0][0]"),
            (["a": [[1], [2]]], QueryEncoder(arrays: .brackets), "a[0][0]"),
            (["a": Date(timeIntervalSince1970: 1e15)], QueryEncoder(), "a"),
            (["a": Date(timeIntervalSince1970: .nan)], QueryEncoder(), "a"), (["a": Decimal.nan], QueryEncoder(), "a"),
            (7, QueryEncoder(), "the root value"), ([1], QueryEncoder(), "[0]"),
            (Node.nested(200), QueryEncoder(arrays: .indexed), String(repeating: "next[0].", count: 50) + "next"),
        ]
        for (value, encoder, place) in table {
            XCTAssertThrowsError(try wire(value, encoder), place) { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
                XCTAssertEqual(failure.member, .query)
                XCTAssertTrue(failure.reason.contains(place + ","), failure.reason)
            }
        }
    }
}
