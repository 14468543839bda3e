/// What a spreadsheet takes a text for: March 1 for `MAR-01`.
///
/// It saves a day of the current year as `01-Mar`, and a month as `May-24`. Some save the whole date of either.
enum SpreadsheetDate: Hashable, Sendable {
    case day(month: Int, day: Int)
    case month(year: Int, month: Int)
    case date(year: Int, month: Int, day: Int)

    /// Returns the dates for which a spreadsheet may take a typed text. `1-2` is January 2 or February 1, according to
    /// the country. Empty for a text that stays one.
    static func typed(_ text: String) -> [SpreadsheetDate] {
        guard let parts = DatePart.parts(of: text) else { return [] }
        let dates: [SpreadsheetDate?]
        switch (parts.count, parts[0], parts[1]) {
        case (2, .name(let month), .number(let number, let digits)),
            (2, .number(let number, let digits), .name(let month)):
            dates = [day(month, number) ?? Self.month(number, digits, month)]
        case (2, .number(let first, 4), .number(let second, _)): dates = [month(first, 4, second)]
        case (2, .number(let first, _), .number(let second, 4)): dates = [month(second, 4, first)]
        case (2, .number(let first, _), .number(let second, let digits)):
            let days = [day(first, second), day(second, first)].compactMap(\.self)
            dates = days.isEmpty ? [month(second, digits, first)] : days
        default: dates = whole(parts)
        }
        return dates.compactMap(\.self)
    }

    /// Returns the dates that a spreadsheet may have saved as a text: `01-Mar`, `Mar-99`, `3/1/1999`, `1999-03-01
    /// 00:00:00`. Empty for a text in another form.
    static func saved(_ text: String) -> [SpreadsheetDate] {
        // Other texts are the rule in an import.
        guard let first = text.utf8.first, first.isDigit || text.utf8.count <= 9 else { return [] }
        var date = text[...]
        for time in [" 00:00:00", "T00:00:00", " 00:00", " 0:00"] where date.hasSuffix(time) {
            date = date.dropLast(time.count)
        }
        guard let parts = DatePart.parts(of: date), date.contains(where: { !$0.isLetter && !$0.isNumber }) else {
            return []
        }
        switch (parts.count, parts[0], parts[1]) {
        case (2, .number(let number, _), .name(let name)): return [day(name, number)].compactMap(\.self)
        case (2, .name(let name), .number(let number, let digits)):
            return [month(number, digits, name)].compactMap(\.self)
        case (2, _, _): return []
        case (_, .number(_, 1...2), .number) where parts[2].digits == 2 && date.contains("-"): return []
        default: break
        }
        return whole(parts).compactMap(\.self).flatMap { whole -> [SpreadsheetDate] in
            guard case .date(let year, let month, let day) = whole else { return [] }
            return [whole, .day(month: month, day: day)] + (day == 1 ? [.month(year: year, month: month)] : [])
        }
    }

    /// Returns the dates of a year, a month and a day, in the orders of several countries.
    private static func whole(_ parts: [DatePart]) -> [SpreadsheetDate?] {
        guard parts.count == 3 else { return [] }
        func date(_ year: DatePart, _ month: DatePart, _ day: DatePart) -> SpreadsheetDate? {
            guard case .number(let day, 1...2) = day, let year = year.year, let month = month.month, 1...31 ~= day
            else {
                return nil
            }
            return .date(year: year, month: month, day: day)
        }
        if parts[0].digits == 4 { return [date(parts[0], parts[1], parts[2])] }
        return [date(parts[2], parts[1], parts[0]), date(parts[2], parts[0], parts[1])]
    }

    private static func day(_ month: Int, _ day: Int) -> SpreadsheetDate? {
        1...12 ~= month && 1...31 ~= day ? .day(month: month, day: day) : nil
    }

    private static func month(_ year: Int, _ digits: Int, _ month: Int) -> SpreadsheetDate? {
        guard let year = DatePart.number(year, digits: digits).year, 1...12 ~= month else { return nil }
        return .month(year: year, month: month)
    }
}

/// A number or the name of a month in a text that looks like a date.
private enum DatePart {
    case number(Int, digits: Int)
    case name(Int)

    private static let names = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    /// German and French names that differ.
    private static let otherNames = ["mrz": 3, "mär": 3, "avr": 4, "mai": 5, "okt": 10, "déc": 12, "dez": 12]

    /// Returns the two or three parts of a text, or `nil` if it has others. Hyphens, slashes, dots and spaces separate
    /// them, or nothing between a letter and a digit.
    static func parts(of text: some StringProtocol) -> [DatePart]? {
        var parts: [DatePart] = []
        var rest = text[...]
        while let first = rest.first {
            let run = rest.prefix { first.isNumber ? $0.isNumber : $0.isLetter }
            guard parts.count < 3, let part = DatePart(run) else { return nil }
            parts.append(part)
            rest = rest.dropFirst(run.count).drop { "-/. ".contains($0) }
        }
        return parts.count >= 2 && text.last.map { $0.isNumber || $0.isLetter } == true ? parts : nil
    }

    private init?(_ run: some StringProtocol) {
        if let number = Int(run), run.count <= 4, run.utf8.allSatisfy(\.isDigit) {
            self = .number(number, digits: run.count)
            return
        }
        let name = run.lowercased()
        guard name.count >= 3,
            let month = Self.names.firstIndex(where: { $0.hasPrefix(name) }).map({ $0 + 1 })
                ?? Self.otherNames[name]
        else { return nil }
        self = .name(month)
    }

    var digits: Int { if case .number(_, let digits) = self { digits } else { 0 } }

    /// The year. Two digits are a year from 1930 to 2029.
    var year: Int? {
        switch self {
        case .number(let year, 4) where year >= 1_900: year
        case .number(let year, 2): year < 30 ? 2_000 + year : 1_900 + year
        default: nil
        }
    }

    var month: Int? {
        switch self {
        case .name(let month): month
        case .number(let month, 1...2) where 1...12 ~= month: month
        case .number: nil
        }
    }
}
