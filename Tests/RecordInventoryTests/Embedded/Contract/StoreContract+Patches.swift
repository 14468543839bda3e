import XCTest

@testable import RecordInventory

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
        // What is missing comes before what the patch lacks.
        try await send("PATCH", "\(records)/none", "{}").expect(404, errno: 110)
        try await send("PATCH", item, "{}", ["If-Match": "\"1\""]).expect(412, errno: 114)
    }
}

extension StoreContract.Answer {
    /// The data without what the server adds.
    fileprivate var fields: [String: JSONValue] {
        data.filter { !["id", "last_modified"].contains($0.key) }
    }
}
