import RecordKit

extension RouteTemplate {
    /// The operator of an expression (RFC 6570 appendix A).
    enum Operator: Character, Sendable {
        case none = "}"
        case plus = "+"
        case fragment = "#"
        case label = "."
        case segment = "/"
        case parameter = ";"
        case query = "?"
        case continuation = "&"

        /// The string before the first value.
        var first: String {
            switch self {
            case .none, .plus: ""
            default: String(rawValue)
            }
        }

        var separator: String {
            switch self {
            case .none, .plus, .fragment: ","
            case .query: "&"
            default: String(rawValue)
            }
        }

        /// Whether a value is preceded by the name of its variable.
        var isNamed: Bool { self == .parameter || isQuery }

        var isQuery: Bool { self == .query || self == .continuation }

        /// The string between the name and an empty value.
        var ifEmpty: String { isQuery ? "=" : "" }

        /// The bytes that aren't percent-encoded in a value.
        var allowed: Set<UInt8> {
            keepsEscapes ? PercentEncoding.unreservedAndReserved : PercentEncoding.unreserved
        }

        /// Whether percent-encoded bytes in a value are kept.
        var keepsEscapes: Bool { self == .plus || self == .fragment }
    }

    struct Variable: Sendable {
        enum Modifier: Sendable {
            case none
            case explode
            case prefix(Int)
        }

        let name: String
        let modifier: Modifier
    }

    struct Expression: Sendable {
        let kind: Operator
        let variables: [Variable]
    }

    static func parse(_ text: String) throws(RouteTemplateError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw RouteTemplateError(variable: nil, reason: "the braces of the template \"\(text)\" do not match")
            }
            parts.append(.expression(try expression(rest[brace..<end].dropFirst(), of: text)))
            rest = rest[end...].dropFirst()
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        return parts
    }

    private static func expression(_ inside: Substring, of text: String) throws(RouteTemplateError) -> Expression {
        var names = inside
        var kind = Operator.none
        if let first = inside.first, let found = Operator(rawValue: first), found != .none {
            kind = found
            names = names.dropFirst()
        }
        var variables: [Variable] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            guard let variable = variable(name) else {
                throw RouteTemplateError(
                    variable: nil, reason: "{\(inside)} in the template \"\(text)\" isn't a valid expression")
            }
            variables.append(variable)
        }
        return Expression(kind: kind, variables: variables)
    }

    /// Returns a variable with its modifier (RFC 6570 sections 2.3 and 2.4), or `nil` if it is invalid.
    private static func variable(_ text: Substring) -> Variable? {
        var name = text
        var modifier = Variable.Modifier.none
        if text.last == "*" {
            name = text.dropLast()
            modifier = .explode
        } else if let colon = text.firstIndex(of: ":") {
            let digits = text[colon...].dropFirst()
            guard digits.first != "0", digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let length = Int(digits),
                length <= 9999
            else { return nil }
            name = text[..<colon]
            modifier = .prefix(length)
        }
        return isName(name) ? Variable(name: String(name), modifier: modifier) : nil
    }

    private static func isName(_ name: Substring) -> Bool {
        var rest = name.utf8[...]
        var mayBeDot = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                guard mayBeDot, !rest.isEmpty else { return false }
                mayBeDot = false
                continue
            case UInt8(ascii: "%"):
                guard PercentEncoding.startsWithTwoDigits(rest) else { return false }
                rest = rest.dropFirst(2)
            case UInt8(ascii: "_"): break
            case UInt8(ascii: "-"), UInt8(ascii: "~"): return false
            default: guard PercentEncoding.unreserved.contains(byte) else { return false }
            }
            mayBeDot = true
        }
        return !name.isEmpty
    }
}

extension RouteTemplate {
    /// A value of a variable (RFC 6570 section 2.3).
    enum Value {
        case text(String)
        case list([String])
        case pairs([(name: String, value: String)])
    }

    /// Returns the value of a variable, or `nil` if it is undefined.
    static func value(of name: String, in values: Values) throws(RouteTemplateError) -> Value? {
        guard let given = values[name] else {
            throw RouteTemplateError(variable: name, reason: "the value of {\(name)} is missing")
        }
        switch given {
        case nil: return nil
        case let text as String: return .text(text)
        case let number as Int: return .text(String(number))
        case let value?: return try encoded(value, name)
        }
    }

    /// Encodes the value as `v` in a query with brackets, and reads its kind from the names: `v` for a single value,
    /// `v[]` for the elements of a list, `v[key]` for the members of an object.
    private static func encoded(_ value: any Encodable, _ name: String) throws(RouteTemplateError) -> Value? {
        let query = RequestQuery(["v": value], using: QueryEncoder(arrays: .brackets))
        if let problem = query.error {
            throw RouteTemplateError(
                variable: name, reason: "the value of {\(name)} can't be encoded: \(reason(of: problem))")
        }
        guard let first = query.items.first else { return nil }
        if first.name == "v" { return .text(first.value) }
        let keys = query.items.map { String($0.name.dropFirst(2).dropLast()) }
        if keys.contains(where: { $0.contains("][") }) {
            throw RouteTemplateError(
                variable: name,
                reason: "the value of {\(name)} is nested; pass a single value, a flat list or a flat object")
        }
        if keys.allSatisfy(\.isEmpty) { return .list(query.items.map(\.value)) }
        return .pairs(zip(keys, query.items).map { ($0, $1.value) })
    }

    /// Returns the reason of an encoder's error. What an error of the app's carries may be sensitive.
    private static func reason(of error: any Error) -> String {
        guard case EncodingError.invalidValue(let value, _) = error else { return "it threw \(type(of: error))" }
        return "a value of type \(type(of: value)) has no text; pass a single value, a flat list or a flat object"
    }
}

extension RouteTemplate.Expression {
    func expanded(with values: RouteTemplate.Values) throws(RouteTemplateError) -> String {
        var result = ""
        // An empty value counts as the first, too (RFC 6570 section 3.2.1).
        var isFirst = true
        for variable in variables {
            guard let value = try RouteTemplate.value(of: variable.name, in: values) else { continue }
            result += isFirst ? kind.first : kind.separator
            isFirst = false
            let name = variable.name
            switch (value, variable.modifier) {
            case (.text(let text), .prefix(let length)):
                result += named(
                    name, PercentEncoding.prefix(text, length: length, keepsEscapes: kind.keepsEscapes))
            case (.text(let text), _):
                result += named(name, text)
            case (_, .prefix):
                throw RouteTemplateError(
                    variable: name, reason: "{\(name):…} needs a single value, not a list or an object")
            case (.list(let list), .explode):
                result += list.map { named(name, $0) }.joined(separator: kind.separator)
            case (.pairs(let pairs), .explode):
                let items = pairs.map { pair in
                    encoded(pair.name) + (pair.value.isEmpty && kind.isNamed ? kind.ifEmpty : "=") + encoded(pair.value)
                }
                result += items.joined(separator: kind.separator)
            case (.list(let list), .none):
                result += joined(name, list)
            case (.pairs(let pairs), .none):
                result += joined(name, pairs.flatMap { [$0.name, $0.value] })
            }
        }
        return result
    }

    private func encoded(_ value: String) -> String {
        PercentEncoding.encoded(value, allowed: kind.allowed, keepsEscapes: kind.keepsEscapes)
    }

    private func named(_ name: String, _ value: String) -> String {
        kind.isNamed ? name + (value.isEmpty ? kind.ifEmpty : "=") + encoded(value) : encoded(value)
    }

    private func joined(_ name: String, _ values: [String]) -> String {
        (kind.isNamed ? name + "=" : "") + values.map(encoded).joined(separator: ",")
    }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
    /// The unreserved characters (RFC 3986 section 2.3).
    static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// The unreserved and the reserved characters (RFC 3986 section 2.2).
    static let unreservedAndReserved = unreserved.union(":/?#[]@!$&'()*+,;=".utf8)

    /// Returns a string with the bytes percent-encoded that aren't allowed.
    ///
    /// - Parameters:
    ///   - string: The string.
    ///   - allowed: The bytes that are kept.
    ///   - keepsEscapes: Whether percent-encoded bytes are kept.
    static func encoded(_ string: String, allowed: Set<UInt8>, keepsEscapes: Bool) -> String {
        var result: [UInt8] = []
        var rest = Array(string.utf8)[...]
        while let byte = rest.popFirst() {
            if allowed.contains(byte) || keepsEscapes && byte == UInt8(ascii: "%") && startsWithTwoDigits(rest) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the first characters of a string (RFC 6570 section 2.4.1).
    ///
    /// Percent-encoded bytes that are kept count as the character that they represent (RFC 6570 appendix A).
    static func prefix(_ string: String, length: Int, keepsEscapes: Bool) -> String {
        var rest = string.unicodeScalars[...]
        for _ in 0..<length where !rest.isEmpty {
            let escape = keepsEscapes ? leadingEscape(of: rest) : 0
            rest = rest.dropFirst(max(escape, 1))
        }
        return String(string.unicodeScalars[..<rest.startIndex])
    }

    /// Returns the length of the percent-encoded character at the start of a string. Returns 0 if there is none.
    private static func leadingEscape(of scalars: Substring.UnicodeScalarView) -> Int {
        /// Returns the byte that is encoded at an offset.
        func byte(at offset: Int) -> UInt8? {
            let triplet = scalars.dropFirst(offset).prefix(3)
            guard triplet.first == "%", startsWithTwoDigits(String(triplet.dropFirst()).utf8) else { return nil }
            return UInt8(String(triplet.dropFirst()), radix: 16)
        }
        guard let first = byte(at: 0) else { return 0 }
        let count = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
        let bytes = (0..<count).map { byte(at: 3 * $0) }
        // Bytes that aren't a character in UTF-8 count one by one.
        let isCharacter = bytes.dropFirst().allSatisfy { $0.map { $0 & 0xC0 == 0x80 } ?? false }
        return isCharacter ? 3 * count : 3
    }

    /// Returns whether bytes begin with two hexadecimal digits, like those after a percent sign.
    static func startsWithTwoDigits(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.prefix(2)
        return start.count == 2 && start.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
