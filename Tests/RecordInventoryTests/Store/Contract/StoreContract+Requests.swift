import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkBodies() async throws {
        let records = try await records("bodies")
        for body in [
            "{bad", #"{"data":{},}"#, #"{"data":{}} x"#, #"{"data":{"a":01}}"#, "[]", #""x""#, "3",
            #"{"data":{"a":NaN}}"#, "{\"data\":{\"u\":\"a\nb\"}}", #"{"data":{"u":"\ud83d"}}"#, "\u{FEFF}{\"data\":{}}",
        ] { try await send("PUT", "\(records)/a", body).expect(400, errno: 107, body) }
        for id in ["-a", "a%20b", "a.b", "_a", "%C3%A9"] {
            try await send("PUT", "\(records)/\(id)", #"{"data":{}}"#).expect(400, errno: 107, id)
        }
        assertEqual(try await send("GET", records).listed.count, 0)

        let values = #"{"u":"é😀\u0001\"\\","f":1.5,"i":9007199254740993,"n":null,"b":[true,{"c":[]}],"e":""}"#
        let made = try await send("PUT", "\(records)/a", #"{"data":\#(values)}"#)
        made.expect(201)
        var expected = try JSONValue(stored: Array(values.utf8)).dictionary ?? [:]
        expected["id"] = "a"
        expected["last_modified"] = made.data["last_modified"]
        assertEqual(try await send("GET", "\(records)/a").data, expected)
        let escaped = try await send("PUT", "\(records)/s", #"{"data":{"u":"\u00e9\ud83d\ude00\/","a":1,"a":2}}"#)
        XCTAssertEqual(escaped.data["u"], "é😀/")
        XCTAssertEqual(escaped.data["a"], 2)
    }

    func checkPaths() async throws {
        let records = try await records("paths")
        for path in ["/v1/nope", "\(records)/a/b", "\(records)/a%2Fb", "/v1/buckets/\(bucket)/nope"] {
            try await send("GET", path).expect(404, errno: 111, path)
        }
        for (method, path) in [
            ("POST", "\(records)/a"), ("PUT", records), ("PATCH", records), ("POST", "/v1/"), ("GET", "/v1/batch"),
        ] {
            try await send(method, path, method == "GET" ? nil : "{}").expect(405, errno: 115, "\(method) \(path)")
        }
    }
}
