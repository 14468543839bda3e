import Foundation
import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkConditions() async throws {
        let records = try await records("conditions")
        let item = "\(records)/a"
        let new = ["If-None-Match": "*"]
        let made = try await send("PUT", item, #"{"data":{"n":1}}"#, new)
        made.expect(201)
        let last = try await send("PUT", "\(records)/b", "{}")
        let stale = ["If-Match": "\"12\""]
        let fresh = ["If-Match": try XCTUnwrap(made.etag)]

        for (method, body, headers) in [
            ("PUT", #"{"data":{"n":2}}"#, new), ("PUT", #"{"data":{"n":2}}"#, stale),
            ("PATCH", #"{"data":{"n":2}}"#, stale), ("PATCH", #"{"data":{"n":2}}"#, new), ("DELETE", nil, stale),
            ("PUT", "{}", ["If-None-Match": "*", "If-Match": "*"]),
        ] as [(String, String?, [String: String])] {
            let answer = try await send(method, item, body, headers)
            answer.expect(412, errno: 114, "\(method) \(headers)")
            XCTAssertEqual(answer.body?.object?["message"], "Resource was modified meanwhile")
            XCTAssertEqual(answer.body?.object?["details"]?.object?["existing"]?.dictionary, made.data)
            XCTAssertEqual(answer.etag, made.etag)
        }

        // If the object does not exist, the response names no existing object.
        for headers in [stale, ["If-Match": "*"]] {
            let answer = try await send("PUT", "\(records)/none", #"{"data":{}}"#, headers)
            answer.expect(412, errno: 114)
            XCTAssertNil(answer.body?.object?["details"])
            XCTAssertEqual(answer.etag, last.etag, "the ETag of the list")
        }
        for value in ["12", "12\"", "W/\"12\"", "\"x\"", "\"\"", "\"1", "abc"] {
            let answer = try await send("PUT", item, "{}", ["If-Match": value])
            answer.expect(400, errno: 107, value)
            XCTAssertEqual(answer.detail["name"], "If-Match", value)
            XCTAssertEqual(answer.detail["location"], "header", value)
        }
        for name in ["If-Match", "If-None-Match"] {
            try await send("PATCH", item, #"{"data":{}}"#, [name: ""]).expect(200, "an empty \(name) is none")
        }
        try await send("PUT", item, #"{"data":{"n":2}}"#, ["If-None-Match": "\"12\""]).expect(200)
        let replaced = try await send("PUT", item, #"{"data":{"n":3}}"#, ["If-Match": "*"])
        replaced.expect(200)
        try await send("PUT", item, #"{"data":{"n":4}}"#, fresh).expect(412, errno: 114)
        let patched = try await send("PATCH", item, #"{"data":{"n":5}}"#, ["If-Match": replaced.etag ?? ""])
        patched.expect(200)
        try await send("DELETE", item, nil, ["If-Match": patched.etag ?? ""]).expect(200)
        // An id can be used again after its deletion.
        try await send("PUT", item, #"{"data":{"n":6}}"#, new).expect(201)
    }

    func checkVersions() async throws {
        let records = try await records("versions")
        var last: Int64 = 0
        for index in 0..<20 {
            let answer = try await send("PUT", "\(records)/v\(index % 3)", #"{"data":{"n":\#(index)}}"#)
            let version = try XCTUnwrap(answer.version)
            XCTAssertGreaterThan(version, last)
            last = version
        }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        XCTAssertLessThan(abs(last - now), 3_600_000)

        // A request may set the version, unless the object has a later one.
        let brought = try await send("PUT", "\(records)/old", #"{"data":{"last_modified":1000}}"#)
        brought.expect(201)
        XCTAssertEqual(brought.version, 1_000)
        XCTAssertEqual(brought.etag, "\"1000\"")
        XCTAssertEqual(brought.headers["last-modified"], "Thu, 01 Jan 1970 00:00:01 GMT")
        let before = try await send("GET", records)
        XCTAssertEqual(before.etag, "\"\(last)\"", "the version of a list never decreases")
        let earlier = try await send("PUT", "\(records)/old", #"{"data":{"last_modified":999}}"#)
        XCTAssertGreaterThan(earlier.version ?? 0, last)
        let text = try await send("PUT", "\(records)/old", #"{"data":{"last_modified":"5000","x":1}}"#)
        XCTAssertGreaterThan(text.version ?? 0, earlier.version ?? 0)
        let later = last + 50_000
        let future = try await send("PUT", "\(records)/old", #"{"data":{"last_modified":\#(later)}}"#)
        XCTAssertEqual(future.version, later)
        let same = try await send("PUT", "\(records)/other", #"{"data":{"last_modified":\#(later)}}"#)
        XCTAssertEqual(same.version, later + 1)
        let after = try await send("PUT", "\(records)/third", "{}")
        XCTAssertEqual(after.version, later + 2)
        let list = try await send("GET", records)
        XCTAssertEqual(list.etag, after.etag)
    }

    func checkTombstones() async throws {
        let records = try await records("tombstones")
        try await put([("a", #"{"x":1}"#), ("b", #"{"x":2}"#), ("c", "{}")], in: records)
        let b = try await send("GET", "\(records)/b").version ?? 0
        let deleted = try await send("DELETE", "\(records)/a")
        deleted.expect(200)
        let version = try XCTUnwrap(deleted.version)
        XCTAssertEqual(deleted.data, ["id": "a", "last_modified": .integer(version), "deleted": true])
        XCTAssertEqual(deleted.etag, "\"\(version)\"")
        try await send("GET", "\(records)/a").expect(404, errno: 110)
        try await send("DELETE", "\(records)/a").expect(404, errno: 110)
        let list = try await send("GET", records)
        XCTAssertEqual(list.etag, deleted.etag)

        for (query, expected) in [
            ("", ["c", "b"]), ("gt_last_modified=1", ["a", "c", "b"]), ("deleted=true", []),
            ("gt_last_modified=1&deleted=true", ["a"]), ("lt_last_modified=\(version)", ["c", "b"]),
            ("min_last_modified=\(version)", ["a"]),
            ("gt_last_modified=\(b)&_sort=last_modified", ["c", "a"]), ("last_modified=\(b)", ["b"]),
            ("gt_last_modified=1&_sort=id&_limit=2", ["a", "b"]),
        ] {
            let found = try await ids(records, query)
            XCTAssertEqual(found, expected, query)
        }
        let wanted = b + 90_000
        let later = try await send("DELETE", "\(records)/b?last_modified=\(wanted)")
        XCTAssertEqual(later.version, wanted)
        let earlier = try await send("DELETE", "\(records)/c?last_modified=99")
        XCTAssertGreaterThan(earlier.version ?? 0, wanted)
    }
}

// The precedence of responses, for a request with two faults.
extension StoreContract {
    func checkPrecedence() async throws {
        let records = try await records("precedence")
        let (item, none) = ("\(records)/a", "\(records)/none")
        let made = try await send("PUT", item, "{}")
        made.expect(201)
        let stale = ["If-Match": "\"12\""]

        // An invalid body takes precedence over every condition.
        for target in [item, none] {
            try await send("PUT", target, "{bad", stale).expect(400, errno: 107, target)
            try await send("PATCH", target, "{bad", stale).expect(400, errno: 107, target)
        }
        // Conditions, and a missing object, take precedence over an invalid change of the object.
        try await send("PATCH", item, "{}", stale).expect(412, errno: 114)
        try await send("DELETE", "\(item)?last_modified=x", nil, stale).expect(412, errno: 114)
        try await send("DELETE", "\(none)?last_modified=x").expect(404, errno: 110)
        try await send("GET", item).expect(200)
    }
}
