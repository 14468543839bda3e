import Foundation
import RecordKitJSON

/// A point in time, with the offset of its zone from UTC.
struct MovementTime: Hashable, Sendable {
    /// Milliseconds since 1970.
    var milliseconds: Int64
    /// Seconds east of UTC.
    var offset: Int

    /// The times of the years 1 to 9999, as RFC 3339 writes them.
    private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let offsets = -86_399...86_399

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
    var day: CalendarDay { day(endingAt: 0) }

    /// Returns the day at the till, where days end some hours after midnight.
    func day(endingAt hour: Int) -> CalendarDay {
        CalendarDay(
            number: Int((milliseconds + Int64(offset) * 1_000 - Int64(hour) * 3_600_000).floored(by: 86_400_000)))
    }
}

extension MovementTime {
    /// Creates a time that was stored, or returns `nil` if it is out of range.
    init?(stored milliseconds: Int64, offset: Int) {
        guard Self.times.contains(milliseconds), Self.offsets.contains(offset) else { return nil }
        self.init(milliseconds: milliseconds, offset: offset)
    }

    static func now(zone: TimeZone = .current) -> MovementTime {
        let date = Date()
        return MovementTime(
            milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()),
            offset: zone.secondsFromGMT(for: date))
    }
}

extension MovementTime: JSONContent {
    /// A number for filters, and the offset.
    var json: JSONValue { ["at": .integer(milliseconds), "offset": JSONValue(offset)] }

    /// Without an offset, the time is in UTC.
    init(json members: JSONView) throws(JSONFault) {
        guard let time = MovementTime(stored: try members.value("at"), offset: try members.optional("offset") ?? 0)
        else { throw JSONFault.invalid("no time of the years 1 to 9999").within("at") }
        self = time
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
        let text = text.trimmed
        guard text.utf8.count == 10, text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) else {
            throw InvalidValue("not a date; write year, month and day, like 2026-11-23")
        }
        // Foundation takes February 29 for March 1.
        guard let date = try? Date(text, strategy: Self.format) else { throw InvalidValue("there is no such day") }
        number = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
        guard description == text else { throw InvalidValue("there is no such day") }
    }

    static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.number < other.number }

    var description: String { Date(timeIntervalSince1970: Double(number) * 86_400).formatted(Self.format) }

    private static let format = Date.ISO8601FormatStyle.iso8601.year().month().day()
}

extension CalendarDay: JSONContent {
    var json: JSONValue { .string(description) }

    init(json: JSONView) throws(JSONFault) {
        guard let day = try? CalendarDay(String(json: json)) else { throw .invalid("no date") }
        self = day
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
