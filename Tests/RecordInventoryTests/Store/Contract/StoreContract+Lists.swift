import XCTest

@testable import RecordInventory

extension StoreContract {
    private static let kinds: [(id: String, data: String)] = [
        ("text", #"{"v":"text","n":"Blue","tags":["a","b"]}"#), ("digit", #"{"v":"5","n":"big BLUE sky"}"#),
        ("five", #"{"v":5,"price":{"amount":1850}}"#), ("fiveReal", #"{"v":5.0}"#), ("half", #"{"v":2.5}"#),
        ("yes", #"{"v":true}"#), ("no", #"{"v":false}"#), ("null", #"{"v":null}"#), ("array", #"{"v":[1,2]}"#),
        ("object", #"{"v":{"a":1,"b":2}}"#), ("one", #"{"v":1}"#), ("zero", #"{"v":0}"#), ("missing", "{}"),
        ("big", #"{"v":9007199254740993}"#), ("negative", #"{"v":-3}"#),
    ]

    /// Equality distinguishes numbers, strings, Booleans and nulls. Order compares the types first: null, string,
    /// number, Boolean, array, object, missing.
    func checkFilters() async throws {
        let records = try await records("filters")
        try await put(Self.kinds, in: records)
        let all = Set(Self.kinds.map(\.id))
        let cases: [(String, Set<String>)] = [
            ("v=5", ["five", "fiveReal"]), ("v=5.0", ["five", "fiveReal"]), ("v=\"5\"", ["digit"]),
            ("v=text", ["text"]), ("v=\"text\"", ["text"]), ("v=true", ["yes"]), ("v=false", ["no"]),
            ("v=null", ["null"]), ("v=1", ["one"]), ("v=0", ["zero"]), ("v=[1,2]", ["array"]),
            ("v={\"b\":2,\"a\":1}", ["object"]), ("v=", []), ("v=9007199254740993", ["big"]), ("v=1e0", ["one"]),
            ("v=05", []), ("v=%2B5", []), ("v=+5", ["five", "fiveReal"]), ("eq_v=1", ["one"]),
            ("min_v=5", ["five", "fiveReal", "big", "yes", "no", "array", "object", "missing"]),
            ("gt_v=5", ["big", "yes", "no", "array", "object", "missing"]),
            ("max_v=5", ["five", "fiveReal", "half", "one", "zero", "negative", "text", "digit", "null"]),
            ("lt_v=5", ["half", "one", "zero", "negative", "text", "digit", "null"]),
            ("lt_v=text", ["digit", "null"]), ("gt_v=true", ["array", "object", "missing"]), ("lt_v=null", []),
            ("gt_v=null", all.subtracting(["null"])), ("min_v=0&max_v=3", ["zero", "one", "half"]),
            ("in_v=5,text", ["five", "fiveReal", "text"]), ("in_v=null", ["null"]), ("in_v=\"5\"", ["digit"]),
            ("in_v=", []), ("in_v=5&in_v=2.5", ["five", "fiveReal", "half"]),
            ("id=five", ["five"]), ("id=true", []), ("id=null", []), ("id=\"five\"", ["five"]),
            ("in_id=five,text", ["five", "text"]), ("in_id=", []),
            ("min_id=text", ["text", "zero", "yes"]), ("price.amount=1850", ["five"]), ("price.amount.x=1", []),
            ("price.amount=1850&v=5", ["five"]), ("lt_price.amount=2000", ["five"]), ("_foo=1", all),
            ("%20v=5", ["five", "fiveReal"]),
            ("v=5&", ["five", "fiveReal"]), ("unknown=1", []), ("a%22b=1", []), ("v'%20OR%201=1", []), ("%22=1", []),
            ("v=5&v=5", []), ("gt_a-b=3", []), ("v=NaN", []),
        ]
        for (query, expected) in cases {
            let found = try await ids(records, query)
            XCTAssertEqual(Set(found), expected, query)
            XCTAssertEqual(found.count, expected.count, query)
        }
    }

    func checkRefusedQueries() async throws {
        let records = try await records("refused")
        let cases: [(String, String?)] = [
            ("_limit=abc", "_limit"), ("_limit=-1", "_limit"), ("_limit=true", "_limit"),
            ("_limit=2&_limit=3", "_limit"),
            ("_token=abc", nil), ("_token=e30=", nil), ("in_id=1,b", "in_id"), ("in_id=null,b", "in_id"),
            ("id=5", "id"), ("last_modified=abc", "last_modified"),
            ("min_last_modified=abc", "min_last_modified"), ("in_last_modified=1,2", "in_last_modified"),
            ("v=%00", "v"), ("v=\"\\u0000\"", "v"), ("foo%00=1", "foo\0"),
        ]
        for (query, name) in cases {
            let answer = try await send("GET", "\(records)?\(Self.encoded(query))")
            answer.expect(400, errno: 107, query)
            XCTAssertEqual(answer.detail["location"], "querystring", query)
            XCTAssertEqual(answer.detail["name"], name.map { .string($0) } ?? .null, query)
        }
        try await send("GET", "\(records)?v=%FF").expect(400, errno: 107)
        try await send("GET", "\(records)?_limit=&_token=&_sort=&_fields=").expect(200)
    }

    func checkOrder() async throws {
        let records = try await records("order")
        try await put(Self.kinds, in: records)
        let ascending = [
            "null", "digit", "text", "negative", "zero", "one", "half", "five", "fiveReal", "big", "no", "yes", "array",
            "object", "missing",
        ]
        let byID = Self.kinds.map(\.id).sorted()
        let byVersion = Self.kinds.map(\.id)
        let cases: [(String, [String])] = [
            ("_sort=v,id", ascending), ("_sort=-v,-id", ascending.reversed()), ("_sort=id", byID),
            ("_sort=-id", byID.reversed()), ("_sort=%2Bid", byID), ("_sort=last_modified", byVersion),
            ("", byVersion.reversed()),
            ("_sort=,", byVersion.reversed()), ("_sort=a b", byVersion.reversed()), ("_sort=$x,id", byID),
            ("_sort=nope", byVersion.reversed()), ("_sort=-nope,id", byID), ("_sort=v,-v,id", ascending),
            ("_sort=price.amount,id", ["five"] + byID.filter { $0 != "five" }),
            ("_sort=-price.amount,id", byID.filter { $0 != "five" } + ["five"]),
            ("_sort=n,id", ["text", "digit"] + byID.filter { !["text", "digit"].contains($0) }),
        ]
        for (query, expected) in cases {
            let found = try await ids(records, query)
            XCTAssertEqual(found, expected, query)
        }
    }

    func checkPages() async throws {
        let records = try await records("pages")
        let values = ["3", nil, "1", "\"x\"", nil, "2", nil, "true", "1", "null"]
        try await put(
            values.enumerated().map { ("r\($0)", $1.map { #"{"v":\#($0),"p":{"a":\#($0)}}"# } ?? "{}") }, in: records)
        for query in [
            "", "_sort=id", "_sort=v", "_sort=-v", "_sort=v,-id", "_sort=-p.a,id", "_sort=v,p.a", "min_v=1&_sort=-v",
            "gt_last_modified=1", "min_id=r&_sort=id", "in_id=r1,r2,r3&_sort=-id", "_sort=nope",
        ] {
            let whole = try await ids(records, query)
            let count = try await send("HEAD", "\(records)?\(Self.encoded(query))&_limit=2")
            XCTAssertEqual(count.headers["total-objects"], "\(whole.count)", query)
            XCTAssertNil(count.body, query)
            for limit in [1, 2, 3, 10] {
                var paged: [String] = []
                var target: String? = "\(records)?\(Self.encoded(query))&_limit=\(limit)"
                while let next = target, paged.count <= whole.count {
                    let answer = try await send("GET", next)
                    answer.expect(200, next)
                    XCTAssertLessThanOrEqual(answer.listed.count, limit)
                    paged += answer.listed.compactMap { $0["id"]?.string }
                    target = try answer.headers["next-page"].map { url in
                        XCTAssertNotNil(URL(string: url)?.host(), url)
                        return String(url[try XCTUnwrap(url.range(of: "/v1/")).lowerBound...])
                    }
                }
                XCTAssertEqual(paged, whole, "\(query), \(limit) a page")
            }
        }
        let zero = try await ids(records, "_limit=0")
        XCTAssertEqual(zero.count, values.count)
    }

    func checkFields() async throws {
        let records = try await records("fields")
        try await put([("a", #"{"t":"x","n":1,"p":{"a":1,"c":"EUR"}}"#)], in: records)
        let id: JSONValue = "a"
        let version = try await send("GET", "\(records)/a").data["last_modified"] ?? .null
        for (fields, expected) in [
            ("t", ["t": "x"]), ("t,n", ["t": "x", "n": 1]), ("p.a", ["p": ["a": 1]]),
            ("p", ["p": ["a": 1, "c": "EUR"]]),
            ("p.a,p.c", ["p": ["a": 1, "c": "EUR"]]), ("nope", [:]), ("t.x", ["t": "x"]), ("id", [:]),
            ("p.z", ["p": [:]]),
        ] as [(String, [String: JSONValue])] {
            let expected = expected.merging(["id": id, "last_modified": version]) { $1 }
            let list = try await send("GET", "\(records)?_fields=\(fields)")
            XCTAssertEqual(list.listed, [expected], fields)
            let item = try await send("GET", "\(records)/a?_fields=\(fields)")
            XCTAssertEqual(item.data, expected, fields)
        }
    }
}
