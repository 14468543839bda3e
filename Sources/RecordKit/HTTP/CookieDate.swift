import Foundation

/// The date of a cookie's `Expires`, in whatever order and punctuation its parts come (RFC 6265 section 5.1.1).
enum CookieDate {
    /// Returns `nil` if a part is missing or out of range.
    static func read(_ text: Substring) -> Date? {
        var time: [Int]?
        var (day, month, year): (Int?, String?, Int?)
        for part in text.utf8.split(whereSeparator: { delimiters.contains($0) }).map({ Substring($0) }) {
            if time == nil, let clock = clock(part) {
                time = clock
            } else if day == nil, let number = digits(part, 1...2) {
                day = number
            } else if month == nil, let found = months.first(where: { part.lowercased().hasPrefix($0.lowercased()) }) {
                month = found
            } else if year == nil, let number = digits(part, 2...4) {
                year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
            }
        }
        guard let time, let day, let month, let year, year >= 1601 else { return nil }
        let numbers = ([day] + time).map { $0 < 10 ? "0\($0)" : "\($0)" }
        let clock = numbers.dropFirst().joined(separator: ":")
        return HTTPDate("Sun, \(numbers[0]) \(month) \(year) \(clock) GMT")?.date
    }

    /// Hours, minutes and seconds.
    private static func clock(_ part: Substring) -> [Int]? {
        let fields = part.parts(between: ":")
        let numbers = fields.compactMap { digits($0, 1...2) }
        return fields.count == 3 && numbers.count == 3 ? numbers : nil
    }

    /// The number that the digits at the beginning make, if there are so many of them.
    private static func digits(_ part: Substring, _ counts: ClosedRange<Int>) -> Int? {
        let digits = part.prefix { ("0"..."9").contains($0) }
        return counts.contains(digits.utf8.count) ? digits.number() : nil
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// All of ASCII's printable characters but letters, digits and the colon.
    private static let delimiters = ByteSet("\t"..."\t", " "..."/", ";"..."@", "["..."`", "{"..."~")
}
