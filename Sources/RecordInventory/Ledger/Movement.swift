/// An entry of the ledger: one change of the copies of one record.
///
/// The quantity of a record is the sum of the movements that change the stock. A movement is never changed. `undo` takes
/// it back with another one.
struct Movement: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// The copies that a record had when it was added, or when the ledger began.
        case opening
        case sale
        case `return`
        case restock
        case tradeIn = "trade_in"
        /// The difference that counting a shelf found.
        case count
        case writeOff = "write_off"
        /// A quantity that was set by `edit`, `import` or `doctor`.
        case correction
        /// The last entry of a record, which takes out its copies.
        case deletion
        /// Changes what is available, not the stock. So does `release`.
        case reservation, release
        /// Other fields were changed. The quantity is 0.
        case edit

        var changesStock: Bool {
            switch self {
            case .reservation, .release, .edit: false
            default: true
            }
        }

        /// The name in tables: `trade-in`.
        var title: String { rawValue.replacing("_", with: "-") }
    }

    /// The idempotency key, which the till makes before it sends the movement.
    var id: String
    var sku: SKU
    var kind: Kind
    /// The copies that come in, or go out if it is negative.
    var quantity: Int
    /// The price of one copy, before the discount. For a trade-in, what was paid for one.
    var price: Money?
    /// The discount on all copies, in the minor units of the currency of `price`.
    var discount: Int64?
    /// The kind of payment: `cash`, `card`.
    var payment: String?
    /// What one copy had cost, in the minor units of the currency of `price`.
    var cost: Int64?
    var time: MovementTime
    var till: String
    var person: String?
    var reason: String?
    /// The id of the movement that this one takes back.
    var undoes: String?
    /// The copies that a reservation puts aside, or that a release makes available again.
    var reservation: Reservation?
    /// The id of the command, which the movements of one sale share.
    var command: String?

    /// Returns the id of a command's movement. The first is number 1.
    static func id(_ number: Int, of command: String) -> String { "\(command)-\(number)" }

    /// Returns the id of the first movement of a record. It depends on the record alone, so that it is made once.
    static func openingID(of recordID: String) -> String { "opening-" + recordID }

    /// What the customer paid, or got back if it is negative. `nil` without a price.
    var paid: Money? {
        guard let price else { return nil }
        let copies = Int64(-quantity)
        let (amount, overflow) = price.amount.multipliedReportingOverflow(by: copies)
        let discount = copies < 0 ? -(discount ?? 0) : discount ?? 0
        let (rest, isTooSmall) = amount.subtractingReportingOverflow(discount)
        return overflow || isTooSmall ? nil : Money(amount: rest, currency: price.currency)
    }
}

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
