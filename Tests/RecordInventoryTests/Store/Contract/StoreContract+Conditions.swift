import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkConditions() async throws {
        let records = try await records("conditions")
        let item = "\(records)/a"
        let new = ["If-None-Match": "*"]
        let made = try await send("PUT", item, #"{"data":{"n":1}}"#, new)
        made.expect(201)
        let stale = ["If-Match": "\"12\""]
        let fresh = ["If-Match": "\"\(try XCTUnwrap(made.version))\""]

        for (method, body, headers) in [
            ("PUT", #"{"data":{"n":2}}"#, new), ("PUT", #"{"data":{"n":2}}"#, stale),
            ("PATCH", #"{"data":{"n":2}}"#, stale), ("PATCH", #"{"data":{"n":2}}"#, new), ("DELETE", nil, stale),
        ] as [(String, String?, [String: String])] {
            let answer = try await send(method, item, body, headers)
            answer.expect(412, errno: 114, "\(method) \(headers)")
            XCTAssertEqual(answer.body?.object?["message"], "Resource was modified meanwhile")
            XCTAssertEqual(answer.body?.object?["details"]?.object?["existing"]?.dictionary, made.data)
        }
        // If the object does not exist, the response names no existing object.
        let none = try await send("PUT", "\(records)/none", #"{"data":{}}"#, stale)
        none.expect(412, errno: 114)
        XCTAssertNil(none.body?.object?["details"])
        // An invalid body takes precedence over a condition.
        try await send("PUT", item, "{bad", stale).expect(400, errno: 107)
        try await send("PATCH", "\(records)/none", "{bad", stale).expect(400, errno: 107)

        let replaced = try await send("PUT", item, #"{"data":{"n":3}}"#, fresh)
        replaced.expect(200)
        try await send("PUT", item, #"{"data":{"n":4}}"#, fresh).expect(412, errno: 114)
        let patched = try await send("PATCH", item, #"{"data":{"n":5}}"#, ["If-Match": "\"\(replaced.version ?? 0)\""])
        patched.expect(200)
        try await send("DELETE", item, nil, ["If-Match": "\"\(patched.version ?? 0)\""]).expect(200)
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
        let earlier = try await send("PUT", "\(records)/old", #"{"data":{"last_modified":999}}"#)
        XCTAssertGreaterThan(earlier.version ?? 0, last, "the version of a list never decreases")
        let later = last + 50_000
        assertEqual(try await send("PUT", "\(records)/old", #"{"data":{"last_modified":\#(later)}}"#).version, later)
        let same = try await send("PUT", "\(records)/other", #"{"data":{"last_modified":\#(later)}}"#)
        XCTAssertEqual(same.version, later + 1)
        assertEqual(try await send("PUT", "\(records)/third", "{}").version, later + 2)
    }

    func checkTombstones() async throws {
        let records = try await records("tombstones")
        try await put([("a", #"{"x":1}"#), ("b", #"{"x":2}"#), ("c", "{}")], in: records)
        let b = try await send("GET", "\(records)/b").version ?? 0
        let deleted = try await send("DELETE", "\(records)/a")
        deleted.expect(200)
        let version = try XCTUnwrap(deleted.version)
        XCTAssertEqual(deleted.data, ["id": "a", "last_modified": .integer(version), "deleted": true])
        try await send("GET", "\(records)/a").expect(404, errno: 110)
        try await send("DELETE", "\(records)/a").expect(404, errno: 110)
        for (query, expected) in [
            ("", ["c", "b"]), ("last_modified=\(b)", ["b"]), ("last_modified=\(version)", ["a"]),
            ("gt_last_modified=1", ["a", "c", "b"]),
        ] { assertEqual(try await ids(records, query), expected, query) }
    }
}
