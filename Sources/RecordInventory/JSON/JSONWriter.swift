/// Writes JSON text, the members of an object in their order.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0

    /// - Parameter pretty: Whether each value gets a line of its own, indented by two spaces. Otherwise there is no
    ///   space between tokens.
    init(pretty: Bool = false) {
        isPretty = pretty
    }

    static func bytes(_ value: JSONValue, pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(value)
        return writer.bytes
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let bool): raw(bool ? "true" : "false")
        case .integer(let integer): raw(String(integer).utf8)
        case .number(let text): raw(text.utf8)
        case .string(let string): write(string)
        case .array(let elements):
            write(elements, between: "[", "]") { element, writer in writer.write(element) }
        case .object(let object):
            write(object.members, between: "{", "}") { member, writer in
                writer.write(member.name)
                writer.raw(writer.isPretty ? ": " : ":")
                writer.write(member.value)
            }
        }
    }

    /// Writes a JSON string (RFC 8259 section 7), with its quotes. Escapes only what must be escaped.
    mutating func write(_ string: String) {
        raw("\"")
        defer { raw("\"") }
        var string = string
        let isPlain = string.withUTF8 { text in
            let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if isPlain { bytes.append(contentsOf: text) }
            return isPlain
        }
        if isPlain { return }
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): raw("\\n")
            case UInt8(ascii: "\r"): raw("\\r")
            case UInt8(ascii: "\t"): raw("\\t")
            case ..<0x20: raw("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// Appends what is JSON, or a part of it, already.
    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends what is JSON, or a part of it, already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        bytes.append(contentsOf: text)
    }

    private mutating func write<Item>(
        _ items: [Item], between start: StaticString, _ end: StaticString, _ write: (Item, inout JSONWriter) -> Void
    ) {
        raw(start)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { raw(",") }
            breakLine()
            write(item, &self)
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        raw(end)
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        raw("\n")
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}
