import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

extension StoreContract {
    private static let objects: [(id: String, data: String)] = [
        ("blue", #"{"t":"Blue","n":5,"price":{"amount":1850,"currency":"EUR"}}"#),
        ("digit", #"{"t":"5","n":2,"price":{"amount":20,"currency":"USD"}}"#),
        ("half", #"{"t":"half and more","n":2.5,"price":{"amount":7,"currency":"EUR"}}"#),
        ("real", #"{"t":"é","n":5.0,"price":{"amount":-1,"currency":"CHF"}}"#),
        ("big", #"{"t":"","n":9007199254740993,"price":{"amount":0,"currency":"JPY"}}"#),
    ]

    /// Equality distinguishes numbers and strings.
    func checkFilters() async throws {
        let records = try await records("filters")
        try await put(Self.objects, in: records)
        let cases: [(String, Set<String>)] = [
            ("n=5", ["blue", "real"]), ("n=5.0", ["blue", "real"]), ("t=\"5\"", ["digit"]), ("t=5", []),
            ("t=\"Blue\"", ["blue"]), ("t=\"blue\"", []), ("t=\"é\"", ["real"]), ("t=\"\"", ["big"]),
            ("n=9007199254740993", ["big"]), ("min_n=5", ["blue", "real", "big"]), ("gt_n=5", ["big"]),
            ("max_n=5", ["blue", "digit", "half", "real"]), ("lt_n=5", ["digit", "half"]),
            ("min_n=2&max_n=3", ["digit", "half"]), ("in_t=\"5\",\"half and more\"", ["digit", "half"]),
            ("in_n=2,2.5", ["digit", "half"]), ("in_t=\"no\"", []), ("id=\"half\"", ["half"]),
            ("in_id=\"half\",\"digit\"", ["half", "digit"]), ("min_id=\"half\"", ["half", "real"]),
            ("gt_id=\"half\"", ["real"]), ("min_id=\"b\"&lt_id=\"c\"", ["big", "blue"]),
            ("price.amount=1850", ["blue"]), ("price.amount=1850&n=5", ["blue"]), ("lt_price.amount=0", ["real"]),
            ("gt_price.currency=\"EUR\"", ["digit", "big"]), ("unknown=1", []),
        ]
        for (query, expected) in cases {
            let found = try await ids(records, query)
            XCTAssertEqual(Set(found), expected, query)
            XCTAssertEqual(found.count, expected.count, query)
        }
        for query in ["_limit=abc", "_limit=-1", "_token=abc", "_token=e30="] {
            try await send("GET", "\(records)?\(query)").expect(400, errno: 107, query)
        }
    }

    func checkOrder() async throws {
        let records = try await records("order")
        try await put(Self.objects + [("none", "{}")], in: records)
        for (query, expected) in [
            ("_sort=id", ["big", "blue", "digit", "half", "none", "real"]),
            ("", ["none", "big", "real", "half", "digit", "blue"]),
            ("_sort=price.currency", ["real", "half", "blue", "big", "digit", "none"]),
            ("_sort=price.currency&gt_price.currency=\"EUR\"&_limit=1", ["big"]),
            ("_sort=price.amount", ["real", "big", "half", "digit", "blue", "none"]),
        ] { assertEqual(try await ids(records, query), expected, query) }
    }

    func checkPages() async throws {
        let records = try await records("pages")
        try await put([3, 1, 2, 1, 2, 9, 4, 1].enumerated().map { ("r\($0)", #"{"v":\#($1)}"#) }, in: records)
        for query in [
            "", "_sort=id", "_sort=v", "_sort=-v", "min_v=2&_sort=-v", "in_id=\"r1\",\"r2\",\"r3\"&_sort=id",
            "gt_last_modified=1",
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
                        String(url[try XCTUnwrap(url.range(of: "/v1/")).lowerBound...])
                    }
                }
                XCTAssertEqual(paged, whole, "\(query), \(limit) a page")
            }
        }
    }

    func checkFields() async throws {
        let records = try await records("fields")
        let made = try await send("PUT", "\(records)/a", #"{"data":{"t":"x","p":{"a":1}}}"#)
        let list = try await send("GET", "\(records)?_fields=id")
        XCTAssertEqual(list.listed, [["id": "a", "last_modified": .integer(made.version ?? 0)]])
    }
}
