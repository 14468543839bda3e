import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkServer() async throws {
        for method in ["GET", "HEAD"] {
            let answer = try await send(method, "/v1/")
            answer.expect(200)
            XCTAssertEqual(answer.headers["content-type"], "application/json")
        }
        let root = try await send("GET", "/v1/").body?.object ?? [:]
        XCTAssertNotNil(root["project_name"]?.string)
        XCTAssertEqual(root["settings"]?.object?["readonly"], false)
        XCTAssertGreaterThanOrEqual(root["settings"]?.object?["batch_max_requests"]?.integer ?? 0, 25)
    }

    func checkParents() async throws {
        let nowhere = "/v1/buckets/\(bucket)-none"
        for (method, body) in [("GET", nil), ("PATCH", "{\"data\":{}}"), ("DELETE", nil)] {
            try await send(method, nowhere, body).expect(403, errno: 121, method)
            try await send(method, "\(nowhere)/collections/c", body).expect(403, errno: 121, method)
        }
        try await send("PUT", "\(nowhere)/collections/c").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections/c/records").expect(403, errno: 121)
        try await send("GET", "\(nowhere)/collections/c/records/a").expect(403, errno: 121)
        try await send("PUT", "\(nowhere)/collections/c/records/a", "{\"data\":{}}").expect(404, errno: 111)
        try await send("POST", "\(nowhere)/collections/c/records", "{\"data\":{}}").expect(404, errno: 111)

        let path = "/v1/buckets/\(bucket)"
        _ = try await records("parents")
        let again = try await send("PUT", path, "{}", ["If-None-Match": "*"])
        again.expect(412, errno: 114)
        XCTAssertEqual(again.body?.object?["details"]?.object?["existing"]?.object?["id"], .string(bucket))
        try await send("GET", "\(path)/collections/none").expect(404, errno: 110)
        for (method, target) in [
            ("GET", "records"), ("HEAD", "records/a"), ("PUT", "records/a"), ("DELETE", "records"), ("POST", "records"),
        ] {
            let answer = try await send(method, "\(path)/collections/none/\(target)")
            XCTAssertEqual(answer.status, 404, "\(method) \(target)")
            if method != "HEAD" {
                answer.expect(404, errno: 111)
                XCTAssertEqual(answer.body?.object?["details"], ["id": "none", "resource_name": "collection"])
            }
        }

        let made = try await send("POST", "\(path)/collections", #"{"data":{"id":"posted","display":"x"}}"#)
        made.expect(201)
        XCTAssertEqual(made.data["display"], "x")
        let listed = try await send("GET", "\(path)/collections?_sort=id").listed.compactMap { $0["id"]?.string }
        XCTAssertTrue(Set(listed).isSuperset(of: ["parents", "posted"]), "\(listed)")

        // What a collection held goes with it, and leaves nothing behind.
        try await put([("a", "{}")], in: "\(path)/collections/posted/records")
        let before = try await send("GET", "\(path)/collections/posted/records").etag
        try await send("DELETE", "\(path)/collections/posted").expect(200)
        try await send("GET", "\(path)/collections/posted/records").expect(404, errno: 111)
        try await send("PUT", "\(path)/collections/posted").expect(201)
        let emptied = try await send("GET", "\(path)/collections/posted/records?_since=1")
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
        let head = try await send("HEAD", "\(records)/a")
        head.expect(200)
        XCTAssertNil(head.body)
        XCTAssertEqual(head.etag, made.etag)

        let replaced = try await send("PUT", "\(records)/a", #"{"data":{"n":2}}"#)
        replaced.expect(200)
        XCTAssertEqual(replaced.data["n"], 2)
        XCTAssertNil(replaced.data["title"])
        let kept = try await send("PUT", "\(records)/a", "{}")
        XCTAssertEqual(kept.data["n"], 2)
        XCTAssertGreaterThan(kept.version ?? 0, replaced.version ?? 0)

        let posted = try await send("POST", records, #"{"data":{"n":3}}"#)
        posted.expect(201)
        XCTAssertEqual(posted.data["id"]?.string?.count, 36)
        let named = try await send("POST", records, #"{"data":{"id":"b","n":4}}"#)
        named.expect(201)
        let known = try await send("POST", records, #"{"data":{"id":"b","n":5}}"#)
        known.expect(200)
        XCTAssertEqual(known.data, named.data)

        let list = try await send("GET", records)
        XCTAssertEqual(list.etag, named.etag)
        XCTAssertEqual(list.listed.map { $0["n"] }, [4, 3, 2])
        let total = try await send("HEAD", "\(records)?_limit=1&min_n=3")
        total.expect(200)
        XCTAssertEqual(total.headers["total-objects"], "2")

        let missing = try await send("GET", "\(records)/none")
        missing.expect(404, errno: 110)
        XCTAssertEqual(missing.body?.object?["details"], ["id": "none", "resource_name": "record"])
        try await send("PATCH", "\(records)/none", #"{"data":{}}"#).expect(404, errno: 110)
        try await send("DELETE", "\(records)/none").expect(404, errno: 110)
    }

    func checkBodies() async throws {
        let records = try await records("bodies")
        let wrong: [(String, String?)] = [
            ("{bad", ""), (#"{"data":{},}"#, ""), (#"{"data":{}} x"#, ""), (#"{"data":{"a":01}}"#, ""), ("[]", ""),
            (#""x""#, ""), ("3", ""), (#"{"foo":1}"#, ""), (#"{"data":3}"#, "data"), (#"{"data":null}"#, "data"),
            (#"{"data":[]}"#, "data"), (#"{"data":{"a":NaN}}"#, ""), (#"{"data":{"u":"\#n"}}"#, ""),
            ("{\"data\":{\"u\":\"a\nb\"}}", ""), (#"{"data":{"u":"\ud83d"}}"#, ""), ("\u{FEFF}{\"data\":{}}", ""),
            (#"{"data":{"id":"b"}}"#, "id"), (#"{"data":{"id":3}}"#, "id"),
        ]
        for (body, name) in wrong {
            let answer = try await send("PUT", "\(records)/a", body)
            answer.expect(400, errno: 107, body)
            XCTAssertEqual(answer.detail["location"], "body", body)
            XCTAssertEqual(answer.detail["name"], name.map { .string($0) }, body)
            XCTAssertNotNil(answer.detail["description"]?.string, body)
        }
        for id in ["-a", "a%20b", "a.b", "_a", "%C3%A9"] {
            let answer = try await send("PUT", "\(records)/\(id)", #"{"data":{}}"#)
            answer.expect(400, errno: 107, id)
            XCTAssertEqual(answer.detail["location"], "path", id)
            try await send("GET", "\(records)/\(id)").expect(400, errno: 107, id)
        }
        for id in [#""a b""#, "3", "null"] {
            try await send("POST", records, #"{"data":{"id":\#(id)}}"#).expect(400, errno: 107, id)
        }
        let empty = try await send("GET", records)
        XCTAssertEqual(empty.listed.count, 0)

        let values = #"{"u":"é😀\u0001\"\\","f":1.5,"i":9007199254740993,"n":null,"b":[true,{"c":[]}],"e":""}"#
        let made = try await send("PUT", "\(records)/a", #"{"data":\#(values)}"#)
        made.expect(201)
        var expected = try JSONReader.read(Array(values.utf8)).object ?? [:]
        expected["id"] = "a"
        expected["last_modified"] = made.data["last_modified"]
        let read = try await send("GET", "\(records)/a").data
        XCTAssertEqual(read, expected)
        let escaped = try await send("PUT", "\(records)/s", #"{"data":{"u":"\u00e9\ud83d\ude00\/","a":1,"a":2}}"#)
        XCTAssertEqual(escaped.data["u"], "é😀/")
        XCTAssertEqual(escaped.data["a"], 2)
        try await send("PUT", "\(records)/p", #"{"data":{},"permissions":{"read":["system.Everyone"]}}"#).expect(201)
    }

    func checkMediaTypes() async throws {
        let records = try await records("media")
        try await put([("a", "{}")], in: records)
        for (method, target) in [("PUT", "/a"), ("PATCH", "/a"), ("POST", "")] {
            for type in ["text/plain", "application/vnd.api+json"] {
                let answer = try await send(method, records + target, #"{"data":{}}"#, ["Content-Type": type])
                answer.expect(415, errno: 107, "\(method) \(type)")
                XCTAssertEqual(answer.detail["name"], "Content-Type")
            }
        }
        try await send("POST", "/v1/batch", "{}", ["Content-Type": "text/plain"]).expect(415, errno: 107)
        for type in ["application/json; charset=utf-8", "application/json"] {
            try await send("PUT", "\(records)/a", "{}", ["Content-Type": type]).expect(200, type)
        }
        for accept in ["text/html", "text/*, image/png"] {
            try await send("GET", "\(records)/a", nil, ["Accept": accept]).expect(406, errno: 107, accept)
        }
        for accept in ["*/*", "text/html, application/json;q=0.5", "application/*"] {
            try await send("GET", "\(records)/a", nil, ["Accept": accept]).expect(200, accept)
        }
    }

    func checkPaths() async throws {
        let records = try await records("paths")
        for path in ["/v1/nope", "\(records)/a/b", "\(records)/a%2Fb", "/v1/buckets/\(bucket)/nope"] {
            try await send("GET", path).expect(404, errno: 111, path)
        }
        for (method, path, allowed) in [
            ("POST", "\(records)/a", "DELETE"), ("PUT", records, "POST"), ("PATCH", records, "GET"),
            ("POST", "/v1/", "GET"), ("GET", "/v1/batch", "POST"),
        ] {
            let answer = try await send(method, path, method == "GET" ? nil : "{}")
            answer.expect(405, errno: 115, "\(method) \(path)")
            XCTAssertTrue(answer.headers["allow"]?.contains(allowed) ?? false, "\(method) \(path)")
        }
    }
}
