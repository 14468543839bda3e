import RecordKitJSON

/// A value that a field of a record can have: a string in files and options, a string or a number in JSON.
protocol FieldContent: JSONReadable, Sendable {
    /// The value as a string, which `init(typed:)` reads back.
    var text: String { get }
    var json: JSONValue { get }

    /// Parses what was typed, perhaps in another spelling.
    init(typed text: String) throws(InvalidValue)
}

extension String: FieldContent {
    var text: String { self }
    var json: JSONValue { .string(self) }

    init(typed text: String) { self = text }
}

extension Int: FieldContent {
    var text: String { String(self) }
    var json: JSONValue { .integer(Int64(self)) }

    /// Parses plain digits, perhaps with a sign.
    init(typed text: String) throws(InvalidValue) {
        try self.init(typed: text, in: .min ... .max)
    }

    init(typed text: String, in range: ClosedRange<Int>) throws(InvalidValue) {
        let text = text.trimmed
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { throw InvalidValue("not a whole number") }
        guard let number = Int(text), range.contains(number) else {
            if range.lowerBound == 0, text.hasPrefix("-") { throw InvalidValue("never negative") }
            let low = range.lowerBound
            let high = range.upperBound
            throw InvalidValue("out of range; allowed is \(low) \(high == Int.max ? "or more" : "to \(high)")")
        }
        self = number
    }
}

/// A string of a certain form: a code, a grade, a barcode.
protocol CodeContent: FieldContent {
    init(_ text: String) throws(InvalidValue)
    /// Parses what is stored.
    init(stored text: String) throws(InvalidValue)
}

extension CodeContent {
    var json: JSONValue { .string(text) }

    init(typed text: String) throws(InvalidValue) { try self.init(text) }
    init(stored text: String) throws(InvalidValue) { try self.init(text) }

    init(json: JSONView) throws(JSONFault) {
        let text = try String(json: json)
        do {
            try self.init(stored: text)
        } catch {
            throw .invalid("\"\(text.shown)\": \(error.reason)")
        }
    }
}

extension CodeContent where Self: RawRepresentable<String> {
    var text: String { rawValue }

    /// Accepts only one of the names, since filters look for that.
    init(stored text: String) throws(InvalidValue) {
        guard let value = Self(rawValue: text) else {
            throw InvalidValue("it is stored as \(try Self(text).rawValue)")
        }
        self = value
    }
}

extension SKU: CodeContent, JSONContent {}
extension Status: CodeContent {}
extension MediaCondition: CodeContent {}
extension SleeveCondition: CodeContent {}

extension Barcode: CodeContent {
    var text: String { ean13 }
}

extension Currency: CodeContent, JSONContent {
    var text: String { code }
}
