/// Writes the date of a header (RFC 9110 section 5.6.7): `Sat, 21 Nov 2026 00:57:20 GMT`.
enum HTTPDateText {
    /// - Parameter milliseconds: since 1970, rounded down to a second.
    static func text(milliseconds: Int64) -> String {
        let (days, second) = (milliseconds / 1_000).quotientAndRemainder(dividingBy: 86_400)
        // The civil calendar, in years that begin in March, so that the leap day comes last.
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = (marchMonth + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekdays[Int((days + 4) % 7)]), \(twoDigits(day)) \(months[Int(month)]) \(year) \(clock) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
