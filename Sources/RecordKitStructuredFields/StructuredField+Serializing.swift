import Foundation

extension StructuredField.BareItem {
    /// The value as it is sent (RFC 9651 section 4.1), or `nil` if it can't be sent, such as a string that isn't ASCII.
    public var serialized: String? {
        switch self {
        case .integer(let number): abs(number) < 1_000_000_000_000_000 ? String(number) : nil
        case .string(let text): Self.serialized(text)
        case .bytes(let bytes): ":\(Data(bytes).base64EncodedString()):"
        case .boolean(let flag): flag ? "?1" : "?0"
        // No field of ours has the others.
        case .decimal, .token, .date, .displayString: nil
        }
    }

    private static func serialized(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ 0x20...0x7e ~= $0 }) else { return nil }
        return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

extension StructuredField.Parameters {
    /// The parameters as they are sent, each after a semicolon, or `nil` if one can't be sent.
    public var serialized: String? {
        var text = ""
        for parameter in all {
            if parameter.value == .boolean(true) {
                text += ";\(parameter.name)"
            } else {
                guard let value = parameter.value.serialized else { return nil }
                text += ";\(parameter.name)=\(value)"
            }
        }
        return text
    }
}

extension StructuredField.Item {
    /// The item as it is sent, or `nil` if it can't be sent.
    public var serialized: String? {
        guard let value = value.serialized, let parameters = parameters.serialized else { return nil }
        return value + parameters
    }
}
