import Foundation

/// One of the challenges of a server: a scheme and its parameters (RFC 9110 section 11.6.1).
struct AuthenticationChallenge {
    /// The scheme in lower case.
    var scheme: String
    /// The parameters, by their names in lower case. The first of a name counts.
    var parameters: [String: String] = [:]

    /// Returns the challenges in fields, in order. A comma separates challenges and parameters alike.
    static func parse(_ fields: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for field in fields {
            var isOpen = false
            for element in elements(of: field) {
                if let (name, value) = parameter(element) {
                    // A parameter before any scheme belongs to no challenge.
                    if isOpen { challenges[challenges.count - 1].add(name, value) }
                    continue
                }
                let scheme = element.prefix { $0 != space }
                challenges.append(AuthenticationChallenge(scheme: text(scheme).lowercased()))
                isOpen = true
                let rest = trimmed(element.dropFirst(scheme.count))
                if let (name, value) = parameter(rest) { challenges[challenges.count - 1].add(name, value) }
            }
        }
        return challenges
    }

    /// Returns the parameters of a field such as `Authentication-Info` (RFC 9110 section 11.6.3).
    static func parameters(of field: String) -> [String: String] {
        parse(["info " + field]).first?.parameters ?? [:]
    }

    private mutating func add(_ name: String, _ value: String?) {
        if let value, parameters[name] == nil { parameters[name] = value }
    }

    private static let space = UInt8(ascii: " ")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let separators = Set("()<>@,;:\\\"/[]?={} \t".utf8)

    /// The parts of a field between commas outside quoted strings, without white space around them and empty ones.
    private static func elements(of field: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(field.utf8)
        var elements: [ArraySlice<UInt8>] = []
        var (start, isQuoted, isEscaped) = (0, false, false)
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == backslash {
                isEscaped = true
            } else if byte == quote {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                elements.append(trimmed(bytes[start..<index]))
                start = index + 1
            }
        }
        elements.append(trimmed(bytes[start...]))
        return elements.filter { !$0.isEmpty }
    }

    /// Returns the name and the value of `name=value` or `name="value"`, or `nil` if the bytes have no such form. The
    /// value is `nil` if it is not valid.
    private static func parameter(_ bytes: ArraySlice<UInt8>) -> (name: String, value: String?)? {
        let name = bytes.prefix { !separators.contains($0) }
        let rest = trimmed(bytes.dropFirst(name.count))
        guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return nil }
        let value = trimmed(rest.dropFirst())
        // The padding of a token of Negotiate or Basic is no parameter: `Negotiate YWJj==`.
        if value.isEmpty || value.allSatisfy({ $0 == UInt8(ascii: "=") }) { return (text(name).lowercased(), nil) }
        return (text(name).lowercased(), value.first == quote ? unquoted(value.dropFirst()) : token(value))
    }

    private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.contains(where: separators.contains) ? nil : text(bytes)
    }

    /// Returns the content of a quoted string after its opening quote, or `nil` if the closing quote isn't at the end.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String? {
        var content: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == quote { return rest.isEmpty ? text(content[...]) : nil }
            if byte == backslash, let escaped = rest.popFirst() {
                content.append(escaped)
            } else {
                content.append(byte)
            }
        }
        return nil
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == space || byte == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isSpace)
        return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? []
    }
}
