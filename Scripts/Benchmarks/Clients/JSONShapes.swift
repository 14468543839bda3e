import Foundation

/// A value that is decoded or encoded in a way that may cost more than its size: by trying, with paths, or by name.
struct JSONShape: Sendable {
    let name: String
    /// Returns a document of about this size.
    let document: @Sendable (_ size: Int) throws -> Data
    /// The type of the value.
    let type: any JSONShapeValue.Type
    /// Whether the value is encoded, not decoded.
    var isEncoded = false

    static let all: [JSONShape] = [
        JSONShape(
            name: "alternatives", document: rows { #"{"id":\#($0 % 2 == 0 ? "\($0)" : "\"\($0)\"")}"# },
            type: [Row].self),
        JSONShape(name: "skipped", document: rows { $0 % 2 == 0 ? "\"x\($0)\"" : "\($0)" }, type: Skipping.self),
        JSONShape(
            name: "any", document: rows { #"{"id":\#($0),"on":true,"tags":["a",1.5,null]}"# }, type: AnyJSON.self),
        JSONShape(name: "path", document: rows { #"{"a":[\#($0)]}"# }, type: [[String: [Placed]]].self),
        JSONShape(name: "super", document: rows { #"{"title":"a","super":{"id":\#($0)}}"# }, type: [Subclass].self),
        JSONShape(name: "dictionary", document: members { "name \($0)" }, type: [String: Int].self),
        JSONShape(
            name: "dictionaries",
            document: rows { row in "{" + (0..<60).map { "\"größe\(row + $0)\":\($0)" }.joined(separator: ",") + "}" },
            type: [[String: Int]].self),
        JSONShape(name: "deep", document: rows { _ in repeated("[", 60) + repeated("]", 60) }, type: AnyJSON.self),
        JSONShape(
            name: "long-name",
            document: { size in
                Data("{\"\(repeated("n", size / 2))\":[\(repeated("1,\"x\",", size / 12))0]}".utf8)
            }, type: [String: Skipping].self),
        JSONShape(
            name: "encoded-alternatives", document: rows { "\($0)" }, type: [Refused].self, isEncoded: true),
        JSONShape(
            name: "encoded-path", document: rows { #"{"a":[\#($0)]}"# }, type: [[String: [Placed]]].self,
            isEncoded: true),
        JSONShape(
            name: "encoded-any", document: rows { #"{"id":\#($0),"on":true,"tags":["a",1.5,null]}"# },
            type: AnyJSON.self, isEncoded: true),
        JSONShape(
            name: "encoded-super", document: rows { #"{"title":"a","super":{"id":\#($0)}}"# }, type: [Subclass].self,
            isEncoded: true),
        JSONShape(
            name: "encoded-dictionary", document: members { "name \($0)" }, type: [String: Int].self, isEncoded: true),
        JSONShape(
            name: "encoded-parts", document: members { "name\($0)" }, type: Parts.self, isEncoded: true),
        JSONShape(
            name: "encoded-deep", document: rows { _ in repeated("[", 60) + repeated("]", 60) }, type: AnyJSON.self,
            isEncoded: true),
        JSONShape(
            name: "encoded-long-name",
            document: { size in Data("{\"\(repeated("n", size / 2))\":[\(repeated("1,", size / 4))0]}".utf8) },
            type: [String: [Refused]].self, isEncoded: true),
        JSONShape(
            name: "encoded-long-names", document: members { repeated("n", 1_996) + "\(1_000 + $0)" },
            type: [String: Int].self, isEncoded: true),
    ]

    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    /// Documents with an array.
    private static func rows(_ row: @escaping @Sendable (Int) -> String) -> @Sendable (Int) -> Data {
        list("[", row, "]")
    }

    /// Documents with an object.
    private static func members(_ name: @escaping @Sendable (Int) -> String) -> @Sendable (Int) -> Data {
        list("{", { "\"\(name($0))\":\($0)" }, "}")
    }

    private static func list(
        _ open: String, _ part: @escaping @Sendable (Int) -> String, _ close: String
    ) -> @Sendable (Int) -> Data {
        { size in
            var text = open + part(0)
            var count = 1
            while text.utf8.count < size {
                text += "," + part(count)
                count += 1
            }
            return Data((text + close).utf8)
        }
    }
}

protocol JSONShapeValue: Codable, Sendable {}
extension Array: JSONShapeValue where Element: JSONShapeValue {}
extension Dictionary: JSONShapeValue where Key == String, Value: JSONShapeValue {}
extension Int: JSONShapeValue {}

/// A row whose identifier is a number or a string.
private struct Row: JSONShapeValue {
    enum Identifier: Codable {
        case number(Int)
        case string(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .string(try container.decode(String.self))
            }
        }
    }
    let id: Identifier
}

/// The integers of a list. Other elements are skipped.
private struct Skipping: JSONShapeValue {
    var integers: [Int] = []

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
            if let integer = try? list.decode(Int.self) {
                integers.append(integer)
            } else {
                _ = try list.superDecoder()
            }
        }
    }
}

/// Any JSON value, by trying one type after the other.
private indirect enum AnyJSON: JSONShapeValue {
    case null, bool(Bool), number(Double), string(String), array([AnyJSON]), object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// A number that asks where it is.
private struct Placed: JSONShapeValue {
    let number: Int

    init(from decoder: any Decoder) throws {
        if decoder.codingPath.count < 2 { throw WrongAnswer("no path") }
        number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        if encoder.codingPath.count < 2 { throw WrongAnswer("no path") }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

private class Superclass: Codable {
    let id: Int
}

private final class Subclass: Superclass, JSONShapeValue, @unchecked Sendable {
    let title: String

    private enum CodingKeys: CodingKey { case title }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try super.encode(to: container.superEncoder())
    }
}

/// A number whose first encoding fails.
private struct Refused: JSONShapeValue {
    let number: Int

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        do { try list.encode(Double.nan) } catch { try list.encode(number) }
    }
}

/// Members, each with an object in which two containers write.
private struct Parts: JSONShapeValue {
    var members: [String: Int]

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: Int].self)
    }

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in members {
            for part in ["first", "second"] {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(name))
                try nested.encode(value, forKey: Key(part))
            }
        }
    }
}
