/// Writes the date of a header (RFC 9110 section 5.6.7): `Sat, 21 Nov 2026 00:57:20 GMT`.
enum HTTPDateText {
    /// - Parameter milliseconds: since 1970, rounded down to a second.
    static func text(milliseconds: Int64) -> String {
        let (days, second) = floored(floored(milliseconds, by: 1_000).quotient, by: 86_400)
        // The civil calendar, in years that begin in March, so that the leap day comes last.
        let shifted = days + 719_468
        let (era, dayOfEra) = floored(shifted, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = (marchMonth + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        let weekday = weekdays[Int(floored(days + 4, by: 7).remainder)]
        return "\(weekday), \(twoDigits(day)) \(months[Int(month)]) \(year) \(clock) GMT"
    }

    /// Divides so that the remainder is never negative: a clock may stand before 1970.
    private static func floored(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
