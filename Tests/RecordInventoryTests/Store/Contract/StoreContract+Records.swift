import RecordKitJSON
import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkServer() async throws {
        let answer = try await send("GET", "/v1/")
        answer.expect(200)
        XCTAssertEqual(answer.headers["content-type"], "application/json")
        let settings = answer.body?.object?["settings"]?.object
        XCTAssertGreaterThanOrEqual(settings?["batch_max_requests"]?.integer ?? 0, 25)
    }

    func checkParents() async throws {
        let nowhere = "/v1/buckets/\(bucket)-none"
        for (method, body) in [("GET", nil), ("PATCH", "{\"data\":{}}")] {
            try await send(method, nowhere, body).expect(403, errno: 121, method)
            try await send(method, "\(nowhere)/collections/c", body).expect(403, errno: 121, method)
        }
        try await send("PUT", "\(nowhere)/collections/c").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections/c/records").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections/c/records/a").expect(403, errno: 121)
        try await send("PUT", "\(nowhere)/collections/c/records/a", "{\"data\":{}}").expect(404, errno: 111)

        let path = "/v1/buckets/\(bucket)"
        _ = try await records("parents")
        let again = try await send("PUT", path, "{}", ["If-None-Match": "*"])
        again.expect(412, errno: 114)
        XCTAssertEqual(again.body?.object?["details"]?.object?["existing"]?.object?["id"], .string(bucket))
        try await send("GET", "\(path)/collections/none").expect(404, errno: 110)
        for (method, target) in [("GET", "records"), ("PUT", "records/a")] {
            let answer = try await send(method, "\(path)/collections/none/\(target)")
            answer.expect(404, errno: 111, "\(method) \(target)")
            XCTAssertEqual(answer.body?.object?["details"], ["id": "none", "resource_name": "collection"])
        }
        let made = try await send("PUT", "\(path)/collections/posted", #"{"data":{"display":"x"}}"#)
        made.expect(201)
        XCTAssertEqual(made.data["display"], "x")
    }

    func checkRecords() async throws {
        let records = try await records("records")
        let empty = try await send("GET", records)
        empty.expect(200)
        XCTAssertEqual(empty.body, ["data": []])
        let made = try await send("PUT", "\(records)/a", #"{"data":{"title":"Blue","n":1}}"#)
        made.expect(201)
        let version = try XCTUnwrap(made.version)
        XCTAssertEqual(made.data, ["id": "a", "last_modified": .integer(version), "title": "Blue", "n": 1])
        XCTAssertEqual(made.headers["content-type"], "application/json")
        let permissions = made.body?.object?["permissions"]?.object
        XCTAssertEqual(permissions?["write"]?.array?.isEmpty, false, "who may write")

        let read = try await send("GET", "\(records)/a")
        read.expect(200)
        XCTAssertEqual(read.data, made.data)

        let replaced = try await send("PUT", "\(records)/a", #"{"data":{"n":2}}"#)
        replaced.expect(200)
        XCTAssertEqual(replaced.data["n"], 2)
        XCTAssertNil(replaced.data["title"])
        try await send("PUT", "\(records)/b", #"{"data":{"n":4}}"#).expect(201)
        let list = try await send("GET", records)
        XCTAssertEqual(list.listed.map { $0["n"] }, [4, 2])

        let missing = try await send("GET", "\(records)/none")
        missing.expect(404, errno: 110)
        XCTAssertEqual(missing.body?.object?["details"], ["id": "none", "resource_name": "record"])
        try await send("PATCH", "\(records)/none", #"{"data":{}}"#).expect(404, errno: 110)
        try await send("DELETE", "\(records)/none").expect(404, errno: 110)
    }

    func checkPatches() async throws {
        let records = try await records("patches")
        let item = "\(records)/a"
        try await put([("a", #"{"x":1,"n":{"a":1},"l":[1,2]}"#)], in: records)
        let before = try await send("GET", item)
        let patched = try await send("PATCH", item, #"{"data":{"x":null,"n":{"z":2},"y":"new"}}"#)
        patched.expect(200)
        XCTAssertEqual(patched.fields, ["x": .null, "n": ["z": 2], "l": [1, 2], "y": "new"])
        XCTAssertGreaterThan(patched.version ?? 0, before.version ?? 0)
        let untouched = try await send("PATCH", item, #"{"data":{}}"#)
        XCTAssertEqual(untouched.fields, patched.fields)
        XCTAssertGreaterThan(untouched.version ?? 0, patched.version ?? 0)
        let versioned = try await send("PATCH", item, #"{"data":{"last_modified":1}}"#)
        XCTAssertGreaterThan(versioned.version ?? 0, untouched.version ?? 0)
        // A missing object takes precedence over a condition.
        try await send("PATCH", "\(records)/none", #"{"data":{}}"#, ["If-Match": "\"1\""]).expect(404, errno: 110)
    }
}

extension StoreContract.Response {
    /// The data without the members that the server adds.
    fileprivate var fields: [String: JSONValue] { data.filter { !["id", "last_modified"].contains($0.key) } }
}
