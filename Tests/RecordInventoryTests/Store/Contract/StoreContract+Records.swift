import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkServer() async throws {
        let answer = try await send("GET", "/v1/")
        answer.expect(200)
        XCTAssertEqual(answer.headers["content-type"], "application/json")
        let root = answer.body?.dictionary ?? [:]
        XCTAssertNotNil(root["project_name"]?.string)
        XCTAssertEqual(root["settings"]?.object?["readonly"], false)
        XCTAssertGreaterThanOrEqual(root["settings"]?.object?["batch_max_requests"]?.integer ?? 0, 25)
    }

    func checkParents() async throws {
        let nowhere = "/v1/buckets/\(bucket)-none"
        for (method, body) in [("GET", nil), ("PATCH", "{\"data\":{}}"), ("DELETE", nil)] {
            try await send(method, nowhere, body).expect(403, errno: 121, method)
            try await send(method, "\(nowhere)/collections/c", body).expect(403, errno: 121, method)
            try await send(method, nowhere, body, ["If-Match": "12"]).expect(403, errno: 121, method)
        }
        try await send("PUT", "\(nowhere)/collections/c").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections").expect(403, errno: 121)
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
        let listed = try await send("GET", "\(path)/collections?_sort=id").listed.compactMap { $0["id"]?.string }
        XCTAssertTrue(Set(listed).isSuperset(of: ["parents", "posted"]), "\(listed)")

        // The records of a collection are deleted with it, and leave nothing behind.
        try await put([("a", "{}")], in: "\(path)/collections/posted/records")
        let before = try await send("GET", "\(path)/collections/posted/records").etag
        try await send("DELETE", "\(path)/collections/posted").expect(200)
        try await send("GET", "\(path)/collections/posted/records").expect(404, errno: 111)
        try await send("PUT", "\(path)/collections/posted").expect(201)
        let emptied = try await send("GET", "\(path)/collections/posted/records?gt_last_modified=1")
        XCTAssertEqual(emptied.listed.count, 0)
        XCTAssertGreaterThan(emptied.etag ?? "", before ?? "")
    }

    func checkRecords() async throws {
        let records = try await records("records")
        let empty = try await send("GET", records)
        empty.expect(200)
        XCTAssertEqual(empty.body, ["data": []])
        XCTAssertEqual(empty.headers["cache-control"], "no-cache, no-store")
        let second = try await send("GET", records)
        XCTAssertEqual(second.etag, empty.etag)

        let made = try await send("PUT", "\(records)/a", #"{"data":{"title":"Blue","n":1}}"#)
        made.expect(201)
        let version = try XCTUnwrap(made.version)
        XCTAssertEqual(made.data, ["id": "a", "last_modified": .integer(version), "title": "Blue", "n": 1])
        XCTAssertEqual(made.etag, "\"\(version)\"")
        XCTAssertNotNil(
            made.headers["last-modified"]?.range(of: "^[A-Z][a-z]{2}, .* GMT$", options: .regularExpression))
        XCTAssertEqual(made.headers["content-type"], "application/json")

        let read = try await send("GET", "\(records)/a")
        read.expect(200)
        XCTAssertEqual(read.data, made.data)
        XCTAssertEqual(read.etag, made.etag)
        XCTAssertEqual(read.headers["last-modified"], made.headers["last-modified"])
        XCTAssertEqual(read.headers["cache-control"], "no-cache, no-store")

        let replaced = try await send("PUT", "\(records)/a", #"{"data":{"n":2}}"#)
        replaced.expect(200)
        XCTAssertEqual(replaced.data["n"], 2)
        XCTAssertNil(replaced.data["title"])
        let kept = try await send("PUT", "\(records)/a", "{}")
        XCTAssertEqual(kept.data["n"], 2)
        XCTAssertGreaterThan(kept.version ?? 0, replaced.version ?? 0)

        let named = try await send("PUT", "\(records)/b", #"{"data":{"n":4}}"#)
        let list = try await send("GET", records)
        XCTAssertEqual(list.etag, named.etag)
        XCTAssertEqual(list.listed.map { $0["n"] }, [4, 2])

        let missing = try await send("GET", "\(records)/none")
        missing.expect(404, errno: 110)
        XCTAssertEqual(missing.body?.object?["details"], ["id": "none", "resource_name": "record"])
        try await send("PATCH", "\(records)/none", #"{"data":{}}"#).expect(404, errno: 110)
        try await send("DELETE", "\(records)/none").expect(404, errno: 110)
    }
}

extension StoreContract {
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
        let versioned = try await send("PATCH", item, #"{"data":{"id":"a","last_modified":1}}"#)
        XCTAssertGreaterThan(versioned.version ?? 0, untouched.version ?? 0)

        for (body, name) in [
            ("{}", "data"), (#"{"data":{"id":"b"}}"#, "id"), (#"{"data":3}"#, "data"), (#"{"foo":3}"#, ""), ("[]", ""),
            ("{", ""),
        ] {
            let answer = try await send("PATCH", item, body)
            answer.expect(400, errno: 107, body)
            XCTAssertEqual(answer.detail["name"], .string(name), body)
        }
        // A missing object takes precedence over a missing member of the patch.
        try await send("PATCH", "\(records)/none", "{}").expect(404, errno: 110)
        try await send("PATCH", item, "{}", ["If-Match": "\"1\""]).expect(412, errno: 114)
    }
}

extension StoreContract.Answer {
    /// The data without the members that the server adds.
    fileprivate var fields: [String: JSONValue] {
        data.filter { !["id", "last_modified"].contains($0.key) }
    }
}
