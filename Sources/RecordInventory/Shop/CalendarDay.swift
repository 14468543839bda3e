import Foundation

/// A point in time, with the offset of its zone from UTC.
struct MovementTime: Hashable, Sendable {
    /// Milliseconds since 1970.
    var milliseconds: Int64
    /// Seconds east of UTC.
    var offset: Int

    /// The time as in RFC 3339: `2026-11-23T17:05:12.042+01:00`.
    var text: String {
        let local = milliseconds + Int64(offset) * 1_000
        let days = local.floored(by: 86_400_000)
        let rest = local - days * 86_400_000
        let date = CalendarDay(number: Int(days))
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = rest / 1_000
        let thousandths = String(rest % 1_000 + 1_000).dropFirst()
        let minutes = Int64(offset.magnitude) / 60
        let zone = offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
        return "\(date)T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(thousandths)\(zone)"
    }

    /// The time for tables: `2026-11-23 17:05`.
    var minuteText: String { String(text.prefix(16)).replacing("T", with: " ") }

    /// The day at the till.
    var day: CalendarDay {
        CalendarDay(number: Int((milliseconds + Int64(offset) * 1_000).floored(by: 86_400_000)))
    }
}

extension MovementTime {
    static func now(zone: TimeZone = .current) -> MovementTime {
        let date = Date()
        return MovementTime(
            milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()),
            offset: zone.secondsFromGMT(for: date))
    }
}

/// A day of the Gregorian calendar, by its number since 1970-01-01.
struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    let number: Int

    /// The days from 1970 to 2200, for a range that is open at one end.
    static let all = CalendarDay(number: 0)...CalendarDay(number: 84_006)

    init(number: Int) { self.number = number }

    /// Parses `2026-11-23`.
    init(_ text: String) throws(InvalidValue) {
        let parts = text.trimmed.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else {
            throw InvalidValue("not a date; write year, month and day, like 2026-11-23")
        }
        let numbers = parts.map { Int(String(decoding: Array($0), as: UTF8.self)) ?? 0 }
        number = Self.number(numbers[0], numbers[1], numbers[2])
        guard description == text.trimmed else { throw InvalidValue("there is no such day") }
    }

    static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.number < other.number }

    /// Counts years from March, so that the leap day is the last day of its year (Hinnant, days_from_civil).
    private static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    var description: String {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted + (shifted < 10 ? 3 : -9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int, _ count: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
