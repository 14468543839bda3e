extension RouteTemplate {
    /// The character that an expression begins with, and what follows from it (RFC 6570 appendix A).
    enum Operator: Character, Sendable {
        case none = "}"
        case plus = "+"
        case fragment = "#"
        case label = "."
        case segment = "/"
        case parameter = ";"
        case query = "?"
        case continuation = "&"

        /// What stands before the first value.
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

        /// Whether the name of a variable stands before its value.
        var isNamed: Bool { self == .parameter || isQuery }

        var isQuery: Bool { self == .query || self == .continuation }

        /// What follows the name of an empty value.
        var ifEmpty: String { isQuery ? "=" : "" }

        /// What a value may hold as it is.
        var allowed: Set<UInt8> {
            keepsEscapes ? PercentEncoding.unreservedAndReserved : PercentEncoding.unreserved
        }

        /// Whether what is percent-encoded in a value already stays as it is.
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

    static func parse(_ text: String) throws(Mistake) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw Mistake(variable: nil, reason: "the braces of the template \"\(text)\" do not match")
            }
            parts.append(.expression(try expression(rest[brace..<end].dropFirst(), of: text)))
            rest = rest[end...].dropFirst()
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        return parts
    }

    private static func expression(_ inside: Substring, of text: String) throws(Mistake) -> Expression {
        var names = inside
        var kind = Operator.none
        if let first = inside.first, let found = Operator(rawValue: first), found != .none {
            kind = found
            names = names.dropFirst()
        }
        var variables: [Variable] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            guard let variable = variable(name) else {
                throw Mistake(variable: nil, reason: "{\(inside)} in the template \"\(text)\" is no expression")
            }
            variables.append(variable)
        }
        return Expression(kind: kind, variables: variables)
    }

    /// A name with its modifier (RFC 6570 sections 2.3 and 2.4).
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
