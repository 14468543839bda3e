import XCTest

@testable import RecordInventory

extension StoreContract {
    func checkBatches() async throws {
        let records = try await records("grouped")
        let short = String(records.dropFirst("/v1".count))
        func put(_ path: String, _ data: String = "{}", new: String = "*") -> String {
            #"{"method":"PUT","path":"\#(path)","headers":{"If-None-Match":"\#(new)"},"body":{"data":\#(data)}}"#
        }
        let parts = [
            put("\(short)/a", #"{"x":1,"z":{"k":1}}"#), put("\(records)/b"), put("\(short)/a"), put("\(short)/-"),
            put("/nope"), put("\(short)/c", new: #"\"1\""#), put("/buckets/\(bucket)-none/collections/c/records/a"),
            #"{"method":"PATCH","path":"\#(short)"}"#, put("\(short)/%64"), put("\(short)/b", new: "x"),
        ]
        let answer = try await send("POST", "/v1/batch", #"{"requests":[\#(parts.joined(separator: ","))]}"#)
        answer.expect(200, "\(answer)")
        XCTAssertEqual(answer.headers["content-type"], "application/json")
        XCTAssertEqual(
            answer.responses.map { $0["status"] }, [201, 201, 412, 400, 404, 201, 404, 405, 201, 400])
        XCTAssertEqual(
            answer.responses.map { $0["path"] }.prefix(3) + [answer.responses.last?["path"]],
            [.string("\(records)/a"), .string("\(records)/b"), .string("\(records)/a"), .string("\(records)/b")])
        XCTAssertEqual(answer.responses.count > 8 ? answer.responses[8]["path"] : nil, .string("\(records)/d"))
        let first = answer.responses.first
        let made = first?["body"]?.object?["data"]?.dictionary ?? [:]
        XCTAssertEqual(made["z"], ["k": 1])
        XCTAssertEqual(made["x"], 1)
        XCTAssertEqual(
            first?["headers"]?.object?["ETag"], .string("\"\(made["last_modified"]?.integer ?? 0)\""))
        XCTAssertEqual(first?["headers"]?.object?["Content-Type"], "application/json")
        let refused = answer.responses.dropFirst(2).first?["body"]?.object
        XCTAssertEqual(refused?["errno"], 114)
        XCTAssertEqual(refused?["details"]?.object?["existing"]?.dictionary, made)
        let kept = try await ids(records, "_sort=id")
        XCTAssertEqual(kept, ["a", "b", "c", "d"])

        let reads = try await send(
            "POST", "/v1/batch",
            """
            {"requests":[{"path":"\(short)/a"}, {"path":"\(short)/none"},
                {"path":"\(short)?_sort=id&_limit=1"}, {"path":"/"}, {"method":null,"path":"\(short)/"},
                {"method":"PATCH","path":"\(short)/a","body":{"data":{"x":null}}},
                {"path":"\(short)?_limit=x"}, {"method":"DELETE","path":"\(short)/b"}]}
            """)
        XCTAssertEqual(reads.responses.map { $0["status"] }, [200, 404, 200, 200, 200, 200, 400, 200])
        guard reads.responses.count == 8 else { return }
        XCTAssertEqual(reads.responses[0]["body"]?.object?["data"]?.dictionary, made)
        XCTAssertNotNil(reads.responses[2]["headers"]?.object?["Next-Page"]?.string)
        XCTAssertEqual(reads.responses[5]["body"]?.object?["data"]?.object?["x"], .null)

        let empty = try await send("POST", "/v1/batch", #"{"requests":[]}"#)
        XCTAssertEqual(empty.body, ["responses": []])
    }

    func checkRefusedBatches() async throws {
        let limit = try await send("GET", "/v1/").body?.object?["settings"]?.object?["batch_max_requests"]?.integer
        let many = Array(repeating: #"{"path":"/"}"#, count: Int(try XCTUnwrap(limit)) + 1).joined(separator: ",")
        for (body, name) in [
            ("{}", "requests"), ("{", ""), (#"{"requests":3}"#, "requests"), (#"{"requests":[3]}"#, "requests.0"),
            (#"{"requests":[],"foo":1}"#, ""), (#"{"requests":[{}]}"#, "requests.0.path"),
            (#"{"requests":[{"path":"x"}]}"#, "requests.0.path"), (#"{"requests":[{"path":"/batch"}]}"#, "requests"),
            (#"{"requests":[{"path":"/","method":"put"}]}"#, "requests.0.method"),
            (#"{"requests":[{"path":"/","foo":1}]}"#, "requests.0"),
            (#"{"requests":[{"path":"/","headers":{"a":1}}]}"#, "requests.0.headers"),
            (#"{"requests":[{"path":"/"},{"path":"/","body":3}]}"#, "requests.1.body"),
            ("{\"requests\":[\(many)]}", "requests"),
        ] {
            let answer = try await send("POST", "/v1/batch", body)
            answer.expect(400, errno: 107, String(body.prefix(80)))
            XCTAssertEqual(answer.detail["name"], .string(name), String(body.prefix(80)))
        }
    }
}
