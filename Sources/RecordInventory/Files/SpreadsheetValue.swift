/// What a spreadsheet may take a text for, and save in another form.
enum SpreadsheetValue: Hashable, Sendable {
    case number(SpreadsheetNumber)
    case date(SpreadsheetDate)
    /// A time in seconds.
    case time(Int)
    case logical(Bool)

    /// Returns the values for which a spreadsheet may take a typed text. Empty for a text that stays one.
    static func typed(_ text: String) -> [SpreadsheetValue] {
        let numbers = (SpreadsheetNumber(text)?.savedForms ?? []) + [grouped(text)].compactMap(\.self)
        return numbers.map { .number($0) } + SpreadsheetDate.typed(text).map { .date($0) } + others(text)
    }

    /// Returns the values that a spreadsheet may have saved as a text.
    static func saved(_ text: String) -> [SpreadsheetValue] {
        if let number = SpreadsheetNumber(text) { return [.number(number)] }
        return SpreadsheetDate.saved(text).map { .date($0) } + others(text)
    }

    /// Returns whether a spreadsheet may have made one text of another.
    static func mayHaveMade(_ saved: String, of text: String) -> Bool {
        // The value of a formula may be anything.
        if text.count > 1, text.hasPrefix("=") { return true }
        let values = Set(typed(text))
        if Self.saved(saved).contains(where: values.contains) { return true }
        if let first = text.first, "+-@".contains(first), SpreadsheetNumber(saved) != nil { return true }
        return hasQuestionMarks(saved, inPlaceOf: text)
    }

    private static func others(_ text: String) -> [SpreadsheetValue] {
        if let value = SpreadsheetText.logicalValue(of: text) { return [.logical(value)] }
        return time(text).map { [.time($0)] } ?? []
    }

    /// Parses a number whose digits are in groups of three, such as `10,000`, or one in parentheses, which is negative.
    private static func grouped(_ text: String) -> SpreadsheetNumber? {
        if text.hasPrefix("("), text.hasSuffix(")") { return SpreadsheetNumber("-\(text.dropFirst().dropLast())") }
        let groups = text.split(omittingEmptySubsequences: false) { ",. ".contains($0) }
        guard groups.count > 1, 1...3 ~= groups[0].count, groups.dropFirst().allSatisfy({ $0.count == 3 }) else {
            return nil
        }
        return SpreadsheetNumber(groups.joined())
    }

    /// Parses `4:44`, `04:44:00` and `4:44 PM` as seconds.
    private static func time(_ text: String) -> Int? {
        guard text.utf8.first?.isDigit == true, text.utf8.count <= 11, text.utf8.contains(UInt8(ascii: ":")) else {
            return nil
        }
        var time = text.lowercased()
        let isEvening = time.hasSuffix(" pm")
        if isEvening || time.hasSuffix(" am") { time.removeLast(3) }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { 1...2 ~= $0.count && $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
        guard 2...3 ~= parts.count, numbers.count == parts.count, numbers[1] < 60, numbers.last ?? 0 < 60 else {
            return nil
        }
        let hours = isEvening ? numbers[0] % 12 + 12 : numbers[0]
        return hours * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }

    /// Returns whether the texts are the same, but for question marks in place of letters. An old encoding lacks them.
    private static func hasQuestionMarks(_ saved: String, inPlaceOf text: String) -> Bool {
        let (saved, text) = (saved.utf16, text.utf16)
        return saved.count == text.count && saved.contains(0x3F)
            && zip(saved, text).allSatisfy { $0 == $1 || ($0 == 0x3F && $1 > 0x7F) }
    }
}
