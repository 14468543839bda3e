import RecordKitJSON
import XCTest

/// Counts the entries, nodes and members that are looked at. What is twice as large may take twice as many: a list in
/// which each error or path costs the elements before it would take four times as many.
final class ShapeTests: XCTestCase {
    #if DEBUG
    private func visits(_ work: () throws -> Void) rethrows -> Int {
        let start = Visits.total
        try work()
        return Visits.total - start
    }

    private func check(_ name: String, line: UInt = #line, _ work: (_ count: Int) throws -> () throws -> Void) throws {
        let (small, large) = (try work(300), try work(600))
        let (few, many) = (try visits(small), try visits(large))
        XCTAssertGreaterThan(few, 300, name, line: line)
        XCTAssertLessThan(Double(many), Double(few) * 2.2, "\(name): \(few) and \(many)", line: line)
        // No entry is looked at more often than an object has names that are compared one by one.
        XCTAssertLessThan(few, 300 * 400, name, line: line)
    }

    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[" + (0..<count).map(element).joined(separator: ",") + "]"
    }

    private func object(_ count: Int, _ name: (Int) -> String, _ value: (Int) -> String = { "\($0)" }) -> String {
        "{" + (0..<count).map { "\"\(name($0))\":\(value($0))" }.joined(separator: ",") + "}"
    }

    func testDecoding() throws {
        let long = String(repeating: "n", count: 1_000)
        let shapes: [(String, any Decodable.Type, (Int) -> String)] = [
            ("alternatives", [Row].self, { self.list($0) { #"{"id":\#($0 % 2 == 0 ? "1" : "\"1\"")}"# } }),
            ("skipped", Skipping.self, { self.list($0) { $0 % 2 == 0 ? "\"x\"" : "1" } }),
            ("any", AnyJSON.self, { self.list($0) { _ in #"{"id":1,"tags":["a",1.5,null]}"# } }),
            ("paths", [[String: [Placed]]].self, { self.list($0) { _ in #"{"a":[1]}"# } }),
            ("super", [RecordItem].self, { self.list($0) { _ in #"{"title":"a","super":{"id":1}}"# } }),
            ("dictionary", [String: Row.Identifier].self, { self.object($0, { "name\($0)" }) }),
            ("names that aren't ASCII", [String: Row.Identifier].self, { self.object($0, { "größe\($0)" }) }),
            (
                "dictionaries", [[String: Placed]].self,
                { self.list($0 / 40) { _ in self.object(40, { "größe\($0)" }) } }
            ),
            ("deep", AnyJSON.self, { self.list($0 / 100) { _ in self.repeated("[", 90) + self.repeated("]", 90) } }),
            (
                "long name", [String: Skipping].self,
                { count in self.object(1, { _ in long }, { _ in self.list(count) { _ in "\"\"" } }) }
            ),
        ]
        for (name, type, document) in shapes {
            for converts in [false, true] {
                var reader = JSONReader()
                if converts { reader.keyDecodingStrategy = .convertFromSnakeCase }
                try check("\(name), converted: \(converts)") { [reader] count in
                    let data = Data(document(count).utf8)
                    return { _ = try reader.decode(type, from: data) }
                }
            }
        }
    }

    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    func testEncoding() throws {
        let shapes: [(String, (Int) -> any Encodable)] = [
            ("alternatives", { Refused(count: $0) }), ("members that fail", { RefusedMembers(count: $0) }),
            ("paths", { [[Placed]](repeating: [Placed()], count: $0) }),
            ("super", { (0..<$0).map { RecordItem(id: $0, title: "") } }),
            ("containers", { Containers(count: $0, names: $0) }),
            ("one container", { Containers(count: $0, names: 1) }),
        ]
        for (name, value) in shapes {
            try check(name) { count in
                let value = value(count)
                return { _ = try JSONWriter().encode(value) }
            }
        }
    }

    func testValuesByName() throws {
        try check("set, replaced, read and removed") { count in
            {
                var object = JSONObject()
                for index in 0..<count { object["name\(index)"] = 1 }
                let copy = object
                for index in 0..<count { object["name\(index)"] = 2 }
                object["more"] = 3
                for index in 0..<count {
                    XCTAssertEqual(copy["name\(index)"], 1)
                    XCTAssertEqual(object["name\(index)"], 2)
                }
                XCTAssertNil(copy["more"])
                let odd = (0..<count).filter { $0 % 2 == 1 }
                for index in 0..<count where index % 2 == 0 { object["name\(index)"] = nil }
                object["name0"] = 4
                XCTAssertEqual(object.members.map(\.name), odd.map { "name\($0)" } + ["more", "name0"])
                for index in 0..<count { XCTAssertEqual(object["name\(index)"] == nil, index % 2 == 0 && index > 0) }
                XCTAssertEqual(copy.members.count, count)
            }
        }
        try check("a view") { count in
            let view = try JSONView(reading: Data(self.object(count, { "name\($0)" }).utf8))
            return { for index in 0..<count { XCTAssertEqual(view.last("name\(index)")?.integer, Int64(index)) } }
        }
    }

    private struct Row: Decodable {
        enum Identifier: Decodable {
            case number(Int)
            case string(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let string = try? container.decode(String.self) {
                    self = .string(string)
                } else {
                    self = .number(try container.decode(Int.self))
                }
            }
        }
        let id: Identifier
    }

    private struct Skipping: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd { if (try? list.decode(Int.self)) == nil { _ = try list.superDecoder() } }
        }
    }

    private indirect enum AnyJSON: Decodable {
        case null, number(Double), string(String), array([AnyJSON]), object([String: AnyJSON])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([String: AnyJSON].self) {
                self = .object(value)
            } else {
                self = .array(try container.decode([AnyJSON].self))
            }
        }
    }

    private struct Placed: Codable {
        init() {}
        init(from decoder: any Decoder) throws { XCTAssertFalse(decoder.codingPath.isEmpty) }
        func encode(to encoder: any Encoder) throws {
            XCTAssertFalse(encoder.codingPath.isEmpty)
            var container = encoder.singleValueContainer()
            try container.encode(container.codingPath.count)
        }
    }

    private struct Refused: Encodable {
        let count: Int
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for index in 0..<count { do { try list.encode(Double.nan) } catch { try list.encode(index) } }
        }
    }

    private struct RefusedMembers: Encodable {
        let count: Int
        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: JSONKeyOfTests.self)
            for index in 0..<count {
                let key = JSONKeyOfTests("name\(index)")
                do { try object.encode(Double.nan, forKey: key) } catch { try object.encode(index, forKey: key) }
                _ = object.nestedUnkeyedContainer(forKey: JSONKeyOfTests("list\(index)"))
            }
        }
    }

    private struct Containers: Encodable {
        let count: Int
        let names: Int
        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: JSONKeyOfTests.self)
            for index in 0..<count {
                for _ in 0..<2 {
                    var list = object.nestedUnkeyedContainer(forKey: JSONKeyOfTests("name\(index % names)"))
                    try list.encode(index)
                }
            }
        }
    }
    #endif
}
