/// Writes trees as JSON text.
enum TreeWriter {
    static func write(
        _ value: JSONValue, to output: inout ByteBuffer, _ format: JSONWriter.OutputFormatting, depth: Int
    ) {
        let escapesSlashes = !format.contains(.withoutEscapingSlashes)
        let isPretty = format.contains(.prettyPrinted)
        switch value {
        case .null: output.append("null")
        case .bool(let bool): output.append(bool ? "true" : "false")
        case .number(let number): output.append(text: number.text)
        case .string(let string): output.append(string: string, escapingSlashes: escapesSlashes)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                if isPretty { breakLine(&output, depth: depth + 1) }
                write(element, to: &output, format, depth: depth + 1)
            }
            if isPretty, !elements.isEmpty { breakLine(&output, depth: depth) }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            var members = object.members
            if format.contains(.sortedKeys) {
                members.sort { ByteName($0.name) < ByteName($1.name) }
            }
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                if isPretty { breakLine(&output, depth: depth + 1) }
                output.append(string: member.name, escapingSlashes: escapesSlashes)
                output.append(UInt8(ascii: ":"))
                if isPretty { output.append(UInt8(ascii: " ")) }
                write(member.value, to: &output, format, depth: depth + 1)
            }
            if isPretty, !members.isEmpty { breakLine(&output, depth: depth) }
            output.append(UInt8(ascii: "}"))
        }
    }

    static func breakLine(_ output: inout ByteBuffer, depth: Int) {
        output.append(UInt8(ascii: "\n"))
        output.append(repeating: UInt8(ascii: " "), count: depth * 2)
    }
}
