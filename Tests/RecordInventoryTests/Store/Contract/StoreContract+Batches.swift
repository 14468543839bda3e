import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkBatches() async throws {
        let records = try await records("grouped")
        let short = String(records.dropFirst("/v1".count))
        func put(_ path: String, _ data: String = "{}") -> String {
            #"{"method":"PUT","path":"\#(path)","headers":{"If-None-Match":"*"},"body":{"data":\#(data)}}"#
        }
        let parts = [
            put("\(short)/a", #"{"x":1,"z":{"k":1}}"#), put("\(short)/b"), put("\(short)/a"), put("\(short)/-"),
            put("/nope"), put("/buckets/\(bucket)-none/collections/c/records/a"),
            #"{"method":"PATCH","path":"\#(short)"}"#, put("\(short)/%64"),
        ]
        let answer = try await send("POST", "/v1/batch", #"{"requests":[\#(parts.joined(separator: ","))]}"#)
        answer.expect(200, "\(answer)")
        XCTAssertEqual(answer.headers["content-type"], "application/json")
        XCTAssertEqual(answer.responses.map { $0["status"] }, [201, 201, 412, 400, 404, 404, 405, 201])
        XCTAssertEqual(
            answer.responses.map { $0["path"] }.prefix(3),
            [.string("\(records)/a"), .string("\(records)/b"), .string("\(records)/a")])
        XCTAssertEqual(answer.responses.last?["path"], .string("\(records)/d"))
        let first = answer.responses.first
        let made = first?["body"]?.object?["data"]?.dictionary ?? [:]
        XCTAssertEqual(made["z"], ["k": 1])
        XCTAssertEqual(made["x"], 1)
        XCTAssertEqual(first?["headers"]?.object?["Content-Type"], "application/json")
        let refused = answer.responses.dropFirst(2).first?["body"]?.object
        XCTAssertEqual(refused?["errno"], 114)
        XCTAssertEqual(refused?["details"]?.object?["existing"]?.dictionary, made)
        assertEqual(try await ids(records, "_sort=id"), ["a", "b", "d"])

        let reads = try await send(
            "POST", "/v1/batch",
            """
            {"requests":[{"method":"GET","path":"\(short)/a"}, {"method":"GET","path":"\(short)/none"},
                {"method":"GET","path":"\(short)?_sort=id&_limit=1"}, {"method":"GET","path":"/"},
                {"method":"PATCH","path":"\(short)/a","body":{"data":{"x":null}}},
                {"method":"GET","path":"\(short)?_limit=x"}, {"method":"DELETE","path":"\(short)/b"}]}
            """)
        XCTAssertEqual(reads.responses.map { $0["status"] }, [200, 404, 200, 200, 200, 400, 200])
        guard reads.responses.count == 7 else { return }
        XCTAssertEqual(reads.responses[0]["body"]?.object?["data"]?.dictionary, made)
        XCTAssertNotNil(reads.responses[2]["headers"]?.object?["Next-Page"]?.string)
        XCTAssertEqual(reads.responses[4]["body"]?.object?["data"]?.object?["x"], .null)

        assertEqual(try await send("POST", "/v1/batch", #"{"requests":[]}"#).body, ["responses": []])
        for body in ["{}", "{", #"{"requests":3}"#, #"{"requests":[3]}"#, #"{"requests":[{"method":"GET"}]}"#] {
            try await send("POST", "/v1/batch", body).expect(400, errno: 107, body)
        }
        let limit = try await send("GET", "/v1/").body?.object?["settings"]?.object?["batch_max_requests"]?.integer
        let count = Int(try XCTUnwrap(limit)) + 1
        let many = Array(repeating: #"{"method":"GET","path":"/"}"#, count: count).joined(separator: ",")
        try await send("POST", "/v1/batch", "{\"requests\":[\(many)]}").expect(400, errno: 107)
    }
}
