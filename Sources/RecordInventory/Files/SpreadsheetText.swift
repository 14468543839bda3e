/// Text in a form that spreadsheets keep: `="00042"`, a formula whose value is the text.
///
/// Without it they turn `00042` into 42, `1E5` into 100000 and `MAR-1` into a date, and run what begins with `=`.
enum SpreadsheetText {
    /// Excel refuses a longer string in a formula.
    private static let maximumLength = 255
    /// What spreadsheets in English, German, French, Spanish, Italian, Portuguese and Dutch take for a logical value.
    private static let logicalValues = [
        "true": true, "wahr": true, "vrai": true, "verdadero": true, "vero": true, "verdadeiro": true, "waar": true,
        "false": false, "falsch": false, "faux": false, "falso": false, "onwaar": false,
    ]
    /// The errors that spreadsheets in these languages show in place of a value.
    private static let errorValues: Set<String> = [
        "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!",
        "#GETTING_DATA", "#ERROR!", "#BEZUG!", "#WERT!", "#ZAHL!", "#NV", "#VALEUR!", "#NOM?", "#NOMBRE!", "#NUL!",
        "#¡REF!", "#¡VALOR!", "#¿NOMBRE?", "#¡NUM!", "#¡NULO!", "#¡DIV/0!", "#N/D", "#RIF!", "#VALORE!", "#NOME?",
        "#NULLO!", "#VALOR!", "#NÚM!", "#NULO!", "#VERW!", "#WAARDE!", "#NAAM?", "#GETAL!", "#LEEG!", "#DEEL/0!",
        "#N/B",
    ]

    /// Returns whether a spreadsheet may change or run the text: it has a digit, begins with something else than a
    /// letter, or is a logical value.
    static func needsProtection(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return !first.isLetter || text.contains { $0.isNumber } || logicalValue(of: text) != nil
    }

    /// Returns a text in a form that spreadsheets keep.
    static func protecting(_ text: String) -> String { needsProtection(text) ? formula(of: text) : text }

    /// Returns the logical value that a text is in some language, in any case.
    static func logicalValue(of text: String) -> Bool? {
        text.utf8.count <= 10 ? logicalValues[text.lowercased()] : nil
    }

    /// Returns whether a text is an error such as `#NAME?`, or the `###` of a column that is too narrow.
    /// LibreOffice writes `Err:502` for some.
    static func isError(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "E") else {
            return false
        }
        let text = text.trimmed
        return errorValues.contains(text) || text.wholeMatch(of: /#{3,}|Err:5\d\d/) != nil
    }

    /// Returns the formula of a text: `="a"`, or `="a"&"b"` for a long one.
    static func formula(of text: String) -> String {
        var parts: [String] = []
        var rest = text[...]
        repeat {
            parts.append("\"" + rest.prefix(maximumLength).replacing("\"", with: "\"\"") + "\"")
            rest = rest.dropFirst(maximumLength)
        } while !rest.isEmpty
        return "=" + parts.joined(separator: "&")
    }

    /// Returns the text of a formula, or `nil` if it is another formula, or none.
    static func text(of formula: ArraySlice<UInt8>) -> [UInt8]? {
        guard formula.first == UInt8(ascii: "="), formula.last == .quotationMark else { return nil }
        var text: [UInt8] = []
        var rest = formula.dropFirst()
        while rest.popFirst() == .quotationMark {
            var isClosed = false
            while let byte = rest.popFirst() {
                if byte == .quotationMark {
                    isClosed = rest.first != .quotationMark
                    if isClosed { break }
                    rest.removeFirst()
                }
                text.append(byte)
            }
            guard isClosed else { return nil }
            if rest.isEmpty { return text }
            guard rest.popFirst() == UInt8(ascii: "&") else { return nil }
        }
        return nil
    }
}

/// The number that a spreadsheet takes a text for, such as 42 for `00042`.
///
/// Two texts are numerically equal if their numbers are.
struct SpreadsheetNumber: Hashable, Sendable {
    /// The digits without zeros at both ends. The number is 0.DIGITS times ten to the exponent.
    private var digits: [UInt8]
    private var exponent: Int
    private let isNegative: Bool

    /// Parses digits, perhaps with a sign, a decimal point and an exponent. Returns `nil` for anything else.
    init?(_ text: String) {
        var rest = text.trimmed.utf8[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let mantissa = rest.prefix { $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        rest = rest.dropFirst(mantissa.count)
        let parts = mantissa.split(omittingEmptySubsequences: false) { !$0.isDigit }
        guard parts.count <= 2, mantissa.contains(where: \.isDigit), mantissa.count <= 64 else { return nil }
        exponent = parts[0].count
        if !rest.isEmpty {
            guard rest.removeFirst() | 0x20 == UInt8(ascii: "e"),
                let power = Int(String(decoding: rest, as: UTF8.self)),
                power.magnitude < 1_000
            else { return nil }
            exponent += power
        }
        let all = Array(parts.joined())
        digits = Array(all.drop { $0 == UInt8(ascii: "0") })
        exponent -= all.count - digits.count
        normalize()
    }

    /// The numbers that a spreadsheet may save for this one: itself, and the shortened forms of a long number.
    var savedForms: [SpreadsheetNumber] {
        guard exponent >= 12 else { return [self] }
        // Excel shows a number of 12 digits or more with six, and keeps fifteen.
        return [self] + [6, 15].filter { digits.count > $0 }.map { rounded(to: $0) }
    }

    private func rounded(to count: Int) -> SpreadsheetNumber {
        var number = self
        number.digits = Array(digits.prefix(count))
        if digits[count] >= UInt8(ascii: "5") {
            var index = count - 1
            while index >= 0, number.digits[index] == UInt8(ascii: "9") {
                number.digits[index] = UInt8(ascii: "0")
                index -= 1
            }
            if index >= 0 {
                number.digits[index] += 1
            } else {
                number.digits.insert(UInt8(ascii: "1"), at: 0)
                number.exponent += 1
            }
        }
        number.normalize()
        return number
    }

    private mutating func normalize() {
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { exponent = 0 }
    }
}
