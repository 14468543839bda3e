import Foundation

/// Parses a structured field from its bytes (RFC 9651 section 4.2).
struct StructuredFieldParser {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// Returns what `parse` reads, if that is everything apart from spaces around it.
    mutating func whole<Value>(_ parse: (inout StructuredFieldParser) -> Value?) -> Value? {
        skip { $0 == UInt8(ascii: " ") }
        guard let value = parse(&self) else { return nil }
        skip { $0 == UInt8(ascii: " ") }
        return rest.isEmpty ? value : nil
    }

    mutating func list() -> [StructuredField.Member]? {
        var members: [StructuredField.Member] = []
        if rest.isEmpty { return members }
        while true {
            guard let member = member() else { return nil }
            members.append(member)
            guard let goesOn = comma() else { return nil }
            if !goesOn { return members }
        }
    }

    mutating func dictionary() -> [(name: String, value: StructuredField.Member)]? {
        var members: [(name: String, value: StructuredField.Member)] = []
        var positions: [String: Int] = [:]
        if rest.isEmpty { return members }
        while true {
            guard let name = key() else { return nil }
            let value: StructuredField.Member
            if take("=") {
                guard let member = member() else { return nil }
                value = member
            } else {
                guard let parameters = parameters() else { return nil }
                value = .item(StructuredField.Item(.boolean(true), parameters))
            }
            if let position = positions[name] {
                members[position].value = value
            } else {
                positions[name] = members.count
                members.append((name, value))
            }
            guard let goesOn = comma() else { return nil }
            if !goesOn { return members }
        }
    }

    mutating func item() -> StructuredField.Item? {
        guard let value = bareItem(), let parameters = parameters() else { return nil }
        return StructuredField.Item(value, parameters)
    }

    /// Reads the comma between two members. Returns `false` at the end, and `nil` for anything else.
    private mutating func comma() -> Bool? {
        skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if rest.isEmpty { return false }
        guard take(",") else { return nil }
        skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return rest.isEmpty ? nil : true
    }

    private mutating func member() -> StructuredField.Member? {
        guard take("(") else { return item().map { .item($0) } }
        var items: [StructuredField.Item] = []
        while true {
            let before = rest.count
            skip { $0 == UInt8(ascii: " ") }
            if take(")") { return parameters().map { .innerList(items, $0) } }
            if !items.isEmpty, rest.count == before { return nil }
            guard let item = item() else { return nil }
            items.append(item)
        }
    }

    private mutating func parameters() -> StructuredField.Parameters? {
        var all: [StructuredField.Parameters.Parameter] = []
        var positions: [String: Int] = [:]
        while take(";") {
            skip { $0 == UInt8(ascii: " ") }
            guard let name = key() else { return nil }
            var value = StructuredField.BareItem.boolean(true)
            if take("=") {
                guard let item = bareItem() else { return nil }
                value = item
            }
            if let position = positions[name] {
                all[position].value = value
            } else {
                positions[name] = all.count
                all.append(StructuredField.Parameters.Parameter(name: name, value: value))
            }
        }
        return StructuredField.Parameters(all)
    }

    private mutating func key() -> String? {
        guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
        return prefix { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
    }

    private mutating func bareItem() -> StructuredField.BareItem? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: ":"): return byteSequence().map { .bytes($0) }
        case UInt8(ascii: "?"):
            rest.removeFirst()
            return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil
        case UInt8(ascii: "@"):
            rest.removeFirst()
            guard case .integer(let seconds)? = number() else { return nil }
            return .date(seconds)
        case UInt8(ascii: "%"): return displayString().map { .displayString($0) }
        case _ where first == UInt8(ascii: "-") || Self.isDigit(first): return number()
        case _ where first == UInt8(ascii: "*") || Self.isLetter(first):
            return .token(prefix { Self.isLetter($0) || Self.isDigit($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) })
        default: return nil
        }
    }

    /// Reads an integer of up to 15 digits, or a decimal of up to 12 and 3 (section 4.2.4).
    private mutating func number() -> StructuredField.BareItem? {
        let sign = take("-") ? "-" : ""
        let whole = prefix(while: Self.isDigit)
        guard !whole.isEmpty else { return nil }
        guard take(".") else { return whole.utf8.count <= 15 ? Int(sign + whole).map { .integer($0) } : nil }
        let fraction = prefix(while: Self.isDigit)
        guard whole.utf8.count <= 12, 1...3 ~= fraction.utf8.count else { return nil }
        return Double("\(sign)\(whole).\(fraction)").map { .decimal($0) }
    }

    private mutating func string() -> String? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                bytes.append(escaped)
            case 0x20...0x7e: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// Reads Base64 between colons. Missing padding isn't an error (section 4.2.7).
    private mutating func byteSequence() -> [UInt8]? {
        rest.removeFirst()
        let digits = prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        skip { $0 == UInt8(ascii: "=") }
        guard take(":") else { return nil }
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        return Data(base64Encoded: digits + padding).map { Array($0) }
    }

    /// Reads percent-encoded UTF-8 between quotation marks (section 4.2.10).
    private mutating func displayString() -> String? {
        rest.removeFirst()
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                let isHexadecimal = digits.utf8.allSatisfy { Self.isDigit($0) || "abcdef".utf8.contains($0) }
                guard digits.utf8.count == 2, isHexadecimal, let byte = UInt8(digits, radix: 16) else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            case 0x20...0x7e: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private mutating func prefix(while isTaken: (UInt8) -> Bool) -> String {
        let bytes = rest.prefix(while: isTaken)
        rest = rest.dropFirst(bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    private static func isLower(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
}
