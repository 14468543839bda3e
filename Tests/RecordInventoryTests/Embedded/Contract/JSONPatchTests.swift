import XCTest

@testable import RecordInventory

final class JSONPatchTests: XCTestCase {
    func testAPatchCannotGrowWithoutBounds() throws {
        let copies = (0..<60).map {
            JSONValue.object(["op": "copy", "from": "/data", "path": .string("/data/x\($0)")])
        }
        XCTAssertThrowsError(try JSONPatch(.array(copies)).apply(to: ["data": ["a": 1]])) {
            XCTAssertEqual(($0 as? StoreRefusal)?.status, 400)
        }
        let nests = (1...300).map { depth -> JSONValue in
            let path = "/data" + String(repeating: "/x", count: depth)
            return ["op": "add", "path": .string(path), "value": [:]]
        }
        XCTAssertThrowsError(try JSONPatch(.array(nests)).apply(to: ["data": [:]])) {
            XCTAssertEqual(($0 as? StoreRefusal)?.status, 400)
        }
        XCTAssertNoThrow(try JSONPatch(.array(Array(nests.prefix(100)))).apply(to: ["data": [:]]))
    }

    func testWhereAPointerLeads() throws {
        let document: JSONValue = ["a": [["b": 1], 2], "": 3, "m~n": 4, "c/d": 5]
        for (pointer, value) in [("/a/0/b", 1), ("/a/1", 2), ("/", 3), ("/m~0n", 4), ("/c~1d", 5)] as [(String, Int64)]
        {
            XCTAssertEqual(try JSONPointer(pointer)?.value(in: document), .integer(value), pointer)
        }
        for pointer in ["/a/2", "/a/-", "/a/01", "/a/+1", "/a/-1", "/a/x", "/a/0/b/c", "/b", "/a/99999999999999999999"]
        {
            XCTAssertThrowsError(try JSONPointer(pointer)?.value(in: document), pointer)
        }
        XCTAssertNil(JSONPointer("a"))
        XCTAssertNil(JSONPointer(""))
    }
}
