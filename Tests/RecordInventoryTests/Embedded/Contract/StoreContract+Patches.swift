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
        for (body, type) in [
            ("{}", "application/json"), (#"[{"op":"add","path":"/data/x"}]"#, "application/json-patch+json"),
            (#"[{"op":"move","path":"/data/x"}]"#, "application/json-patch+json"),
        ] {
            try await send("PATCH", "\(records)/none", body, ["Content-Type": type]).expect(404, errno: 110, body)
            try await send("PATCH", item, body, ["Content-Type": type, "If-Match": "\"1\""])
                .expect(412, errno: 114, body)
            try await send("PATCH", item, body, ["Content-Type": type]).expect(400, errno: 107, body)
        }
        let light = try await send("PATCH", item, #"{"data":{"y":"old","x":7}}"#, ["Response-Behavior": "light"])
        XCTAssertEqual(light.body, ["data": ["y": "old", "x": 7]])
        XCTAssertNotNil(light.etag)
        let diff = try await send("PATCH", item, #"{"data":{"y":"older"}}"#, ["Response-Behavior": "diff"])
        XCTAssertEqual(diff.body, ["data": [:]])
        try await send("PATCH", item, #"{"data":{}}"#, ["Response-Behavior": "x"]).expect(400, errno: 107)
    }

    func checkMergePatches() async throws {
        let records = try await records("merging")
        let item = "\(records)/a"
        try await put([("a", #"{"x":1,"n":{"a":1,"b":{"c":2}},"l":[1]}"#)], in: records)
        for (patch, expected) in [
            (#"{"n":{"b":{"d":3}}}"#, ["x": 1, "n": ["a": 1, "b": ["c": 2, "d": 3]], "l": [1]]),
            (#"{"x":null,"l":[2],"n":{"b":null}}"#, ["n": ["a": 1], "l": [2]]),
            (#"{"new":{"y":null,"z":{"k":null}},"n":null}"#, ["l": [2], "new": ["z": [:]]]),
            (#"{"id":null,"last_modified":null,"none":null}"#, ["l": [2], "new": ["z": [:]]]),
        ] as [(String, [JSONKey: JSONValue])] {
            let answer = try await send(
                "PATCH", item, #"{"data":\#(patch)}"#, ["Content-Type": "application/merge-patch+json"])
            answer.expect(200, patch)
            XCTAssertEqual(answer.fields, expected, patch)
        }
    }

    func checkOperations() async throws {
        let records = try await records("operations")
        let item = "\(records)/a"
        let type = ["Content-Type": "application/json-patch+json"]
        try await put([("a", #"{"x":8,"l":[1,2]}"#)], in: records)
        for (operations, expected) in [
            (#"[{"op":"add","path":"/data/q","value":1}]"#, ["x": 8, "l": [1, 2], "q": 1]),
            (
                #"[{"op":"replace","path":"/data/q","value":2},{"op":"test","path":"/data/q","value":2.0}]"#,
                ["x": 8, "l": [1, 2], "q": 2]
            ),
            (#"[{"op":"move","from":"/data/q","path":"/data/w"}]"#, ["x": 8, "l": [1, 2], "w": 2]),
            (#"[{"op":"copy","from":"/data/w","path":"/data/l/0"}]"#, ["x": 8, "l": [2, 1, 2], "w": 2]),
            (#"[{"op":"add","path":"/data/l/-","value":3}]"#, ["x": 8, "l": [2, 1, 2, 3], "w": 2]),
            (#"[{"op":"remove","path":"/data/l/0"}]"#, ["x": 8, "l": [1, 2, 3], "w": 2]),
            (#"[{"op":"replace","path":"/data/l/0","value":{"m":1}}]"#, ["x": 8, "l": [["m": 1], 2, 3], "w": 2]),
            (
                #"[{"op":"add","path":"/data/l/0/k","value":null}]"#,
                ["x": 8, "l": [["m": 1, "k": .null], 2, 3], "w": 2]
            ),
            (#"[{"op":"replace","path":"/data","value":{"s":1}}]"#, ["s": 1]),
            (#"[{"op":"add","path":"/data/a~1b~0","value":1}]"#, ["s": 1, "a/b~": 1]),
            ("[]", ["s": 1, "a/b~": 1]),
        ] as [(String, [JSONKey: JSONValue])] {
            let answer = try await send("PATCH", item, operations, type)
            answer.expect(200, operations)
            XCTAssertEqual(answer.fields, expected, operations)
        }
        let before = try await send("GET", item)
        for operations in [
            #"[{"op":"add","path":"/data/n","value":1},{"op":"test","path":"/data/s","value":3}]"#,
            #"[{"op":"remove","path":"/data/nope"}]"#, #"[{"op":"replace","path":"/data/nope","value":1}]"#,
            #"[{"op":"add","path":"/data/l/9","value":3}]"#, #"[{"op":"add","path":"/data/x/y/z","value":1}]"#,
            #"[{"op":"foo","path":"/data/s"}]"#, #"[{"op":"add","path":"data/s","value":1}]"#,
            #"[{"op":"add","path":"/data/s"}]"#, #"[{"op":"copy","path":"/data/s"}]"#,
            #"[{"op":"replace","path":"/data/id","value":"b"}]"#, "[3]", #"{"data":{}}"#, "[",
            #"[{"op":"test","path":"/data/s","value":1,"extra":1}]"#,
        ] {
            try await send("PATCH", item, operations, type).expect(400, errno: 107, operations)
        }
        let after = try await send("GET", item)
        XCTAssertEqual(after.data, before.data)
    }
}

extension StoreContract.Answer {
    /// The data without what the server adds.
    fileprivate var fields: [JSONKey: JSONValue] {
        data.filter { !["id", "last_modified"].contains($0.key) }
    }
}
