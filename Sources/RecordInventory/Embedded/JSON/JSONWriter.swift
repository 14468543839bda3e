/// Writes JSON text without spaces. The keys of an object are written in order, so that equal values are equal text.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    static func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        return writer.bytes
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let bool): raw(bool ? "true" : "false")
        case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
        case .real(let real): bytes.append(contentsOf: real.description.utf8)
        case .string(let string): write(string)
        case .array(let elements):
            raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { raw(",") }
                write(element)
            }
            raw("]")
        case .object(let members):
            raw("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { raw(",") }
                write(member.key.text)
                raw(":")
                write(member.value)
            }
            raw("}")
        }
    }

    mutating func write(_ string: String) {
        bytes.append(json: string)
    }

    /// Text that is JSON, or a part of it, already.
    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Bytes that are JSON, or a part of it, already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        bytes.append(contentsOf: text)
    }
}
