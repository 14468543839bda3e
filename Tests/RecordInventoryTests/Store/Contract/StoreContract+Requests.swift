import XCTest

@testable import RecordInventory

extension StoreContract {
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
        let empty = try await send("GET", records)
        XCTAssertEqual(empty.listed.count, 0)

        let values = #"{"u":"é😀\u0001\"\\","f":1.5,"i":9007199254740993,"n":null,"b":[true,{"c":[]}],"e":""}"#
        let made = try await send("PUT", "\(records)/a", #"{"data":\#(values)}"#)
        made.expect(201)
        var expected = try JSONReader.read(Array(values.utf8)).dictionary ?? [:]
        expected["id"] = "a"
        expected["last_modified"] = made.data["last_modified"]
        let read = try await send("GET", "\(records)/a").data
        XCTAssertEqual(read, expected)
        let escaped = try await send("PUT", "\(records)/s", #"{"data":{"u":"\u00e9\ud83d\ude00\/","a":1,"a":2}}"#)
        XCTAssertEqual(escaped.data["u"], "é😀/")
        XCTAssertEqual(escaped.data["a"], 2)
        try await send("PUT", "\(records)/p", #"{"data":{},"permissions":{"read":["system.Everyone"]}}"#).expect(201)
    }

    func checkPaths() async throws {
        let records = try await records("paths")
        for path in ["/v1/nope", "\(records)/a/b", "\(records)/a%2Fb", "/v1/buckets/\(bucket)/nope"] {
            try await send("GET", path).expect(404, errno: 111, path)
        }
        for (method, path, allowed) in [
            ("POST", "\(records)/a", "DELETE"), ("PUT", records, "GET"), ("PATCH", records, "GET"),
            ("POST", "/v1/", "GET"), ("GET", "/v1/batch", "POST"),
        ] {
            let answer = try await send(method, path, method == "GET" ? nil : "{}")
            answer.expect(405, errno: 115, "\(method) \(path)")
            XCTAssertTrue(answer.headers["allow"]?.contains(allowed) ?? false, "\(method) \(path)")
        }
    }
}
