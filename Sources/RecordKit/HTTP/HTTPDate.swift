public import Foundation

/// A date in a header field, in whole seconds (RFC 9110 section 5.6.7).
///
/// Its description has the form `Sun, 06 Nov 1994 08:49:37 GMT`. ``init(_:now:)`` also parses the two obsolete forms:
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
public struct HTTPDate: Hashable, Sendable {
    /// The date. Its description drops fractions of a second.
    public let date: Date

    /// Creates an HTTP date.
    public init(_ date: Date) {
        self.date = date
    }

    /// Parses a date. Returns `nil` unless the string has exactly one of the three forms.
    ///
    /// A two-digit year is never more than 50 years after `now`: a later one belongs to the century before.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The current date, to which a two-digit year is relative.
    public init?(_ text: String, now: Date = Date()) {
        var parts = text[...].parts(between: " ")
        let weekday = parts.removeFirst()
        let date: Date?
        if Self.weekdays.contains("\(weekday)"), let year = parts.last, year.utf8.count == 4 {
            // Sun Nov  6 08:49:37 1994
            let isPadded = parts.count == 5 && parts[1].isEmpty && parts[2].utf8.count == 1
            if isPadded { parts[1] = "0" + parts.remove(at: 2) }
            date = parts.count == 4 ? Self.date(day: parts[1], month: parts[0], year: year, time: parts[2], now) : nil
        } else if parts.last == "GMT", weekday.last == "," {
            // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
            let isOld = parts.count == 3
            let day = isOld ? parts[0].parts(between: "-") : Array(parts.prefix(3))
            let names = isOld ? Self.longWeekdays : Self.weekdays
            let isForm = names.contains("\(weekday.dropLast())") && parts.count == (isOld ? 3 : 5) && day.count == 3
            date =
                isForm && day[2].utf8.count == (isOld ? 2 : 4)
                ? Self.date(day: day[0], month: day[1], year: day[2], time: parts[parts.count - 2], now) : nil
        } else {
            date = nil
        }
        guard let date else { return nil }
        self.date = date
    }

    /// Returns the date with these parts, or `nil` if a part is not valid.
    private static func date(
        day: Substring, month: Substring, year: Substring, time: Substring, _ now: Date
    ) -> Date? {
        let clock = time.parts(between: ":").map(twoDigits)
        guard let month = months.firstIndex(of: String(month)), let day = twoDigits(day), let digits = year.number(),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            // A leap second is 60.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        func seconds(inYear year: Int) -> Date? {
            guard let days = Self.days(year: year, month: month + 1, day: day) else { return nil }
            return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
        }
        guard year.utf8.count == 2 else { return seconds(inYear: digits) }
        let thisYear = civil(days: wholeSeconds(now) / 86_400).year
        let century = thisYear - thisYear % 100
        let latest = now.addingTimeInterval(50 * 365.2425 * 86_400)
        for candidate in [century + 100 + digits, century + digits] {
            if let date = seconds(inYear: candidate), date <= latest { return date }
        }
        return seconds(inYear: century - 100 + digits)
    }

    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let longWeekdays = [
        "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
    ]

    /// Parses a number of exactly two digits.
    private static func twoDigits(_ text: Substring) -> Int? {
        text.utf8.count == 2 ? text.number() : nil
    }

    /// Returns the days since 1970 in the Gregorian calendar, or `nil` if the month doesn't have the day.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        // Counts years from March, so that a leap day is the last day of its year.
        let shifted = month > 2 ? year : year - 1
        let monthOfShifted = (month + 9) % 12
        let dayOfShifted = (153 * monthOfShifted + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfShifted - 719_468
        let back = civil(days: days)
        return (back.year, back.month, back.day) == (year, month, day) ? days : nil
    }

    /// Returns the Gregorian date of a day, in days since 1970.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Returns the seconds since 1970, or zero if they are not a number.
    ///
    /// Clamps the date to the years 0 to 9999, since the format has four digits.
    private static func wholeSeconds(_ date: Date) -> Int {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return seconds.isNaN ? 0 : Int(min(max(seconds, -62_167_219_200), 253_402_300_799))
    }
}

extension HTTPDate: TextConvertible {
    /// The date in the preferred form (RFC 9110 section 5.6.7).
    var text: String {
        let seconds = Self.wholeSeconds(date)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let (year, month, day) = Self.civil(days: days)
        let time = seconds - days * 86_400
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        let weekday = Self.weekdays[((days % 7) + 7) % 7]
        return "\(weekday), \(Self.padded(day, 2)) \(Self.months[month - 1]) \(Self.padded(year, 4)) \(clock) GMT"
    }

    /// Returns a number with leading zeros.
    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
}
