import Foundation

/// A JSON value that prints the members of an object in the order they were given, which JSONEncoder does not.
enum OrderedJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number that is no `Int64`.
    case decimal(Decimal)
    case string(String)
    case array([OrderedJSON])
    case object([Member])

    struct Member: Hashable, Sendable {
        let name: String
        let value: OrderedJSON
    }

    /// JSON text (RFC 8259): on one line, or with a line for each value, indented by two spaces. Slashes stay plain.
    func text(pretty: Bool = false) -> String {
        var bytes: [UInt8] = []
        write(into: &bytes, pretty: pretty)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the JSON text as UTF-8; `depth` indents what follows the first line.
    func write(into bytes: inout [UInt8], pretty: Bool = false, depth: Int = 0) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .decimal(let value): bytes.append(contentsOf: value.description.utf8)
        case .string(let value): bytes.append(json: value)
        case .array(let values):
            Self.write(values, between: ("[", "]"), into: &bytes, pretty: pretty, depth: depth) { value, bytes in
                value.write(into: &bytes, pretty: pretty, depth: depth + 1)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), into: &bytes, pretty: pretty, depth: depth) { member, bytes in
                bytes.append(json: member.name)
                bytes.append(contentsOf: (pretty ? ": " : ":").utf8)
                member.value.write(into: &bytes, pretty: pretty, depth: depth + 1)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], between brackets: (Unicode.Scalar, Unicode.Scalar), into bytes: inout [UInt8], pretty: Bool,
        depth: Int, item write: (Item, inout [UInt8]) -> Void
    ) {
        func breakLine(_ depth: Int) {
            guard pretty, !items.isEmpty else { return }
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        }
        bytes.append(UInt8(ascii: brackets.0))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(depth + 1)
            write(item, &bytes)
        }
        breakLine(depth)
        bytes.append(UInt8(ascii: brackets.1))
    }
}

extension OrderedJSON {
    /// Those members of an object that the other has not, or has otherwise.
    func members(unlike other: OrderedJSON) -> OrderedJSON {
        guard case .object(let members) = self, case .object(let others) = other else { return self }
        return .object(members.filter { !others.contains($0) })
    }

    /// The object with these members too; null becomes one that has these alone.
    func adding(_ added: [Member]) -> OrderedJSON {
        switch self {
        case .object(let members): .object(members + added)
        case .null where !added.isEmpty: .object(added)
        default: self
        }
    }
}

extension OrderedJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral members: (String, OrderedJSON)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    init(arrayLiteral values: OrderedJSON...) {
        self = .array(values)
    }

    /// A text, or null.
    init(_ text: String?) {
        self = text.map { .string($0) } ?? .null
    }

    /// A number, or null.
    init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer(Int64($0)) } ?? .null
    }
}
