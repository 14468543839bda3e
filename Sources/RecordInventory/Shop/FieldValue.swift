import Foundation

/// The value of a field for comparison and sorting: missing values, then numbers, strings and grades.
enum FieldValue: Hashable, Comparable, Sendable {
    case none
    case number(Int128)
    case text(String)
    case grade(MediaCondition)

    /// The decimals of a price, for all currencies: none has more than four. So 18.50 EUR is less than 1850 JPY.
    static let priceDecimals = 4

    /// Returns whether the values can be compared. A sleeve without a grade is neither better nor worse than one with a
    /// grade.
    func isLike(_ other: FieldValue) -> Bool {
        switch (self, other) {
        case (.number, .number), (.text, .text), (.grade, .grade): true
        default: false
        }
    }
}

extension RecordField {
    func value(of record: Record) -> FieldValue {
        switch self {
        case .year: FieldValue(record.year)
        case .quantity: FieldValue(record.quantity)
        case .discogsListing: FieldValue(record.discogsListing)
        case .discogsRelease: FieldValue(record.discogsRelease)
        case .price: FieldValue(record.price)
        case .cost: record.cost.map { FieldValue(Money(amount: $0, currency: record.price.currency)) } ?? .none
        case .mediaCondition: record.mediaCondition.map { .grade($0) } ?? .none
        case .sleeveCondition: FieldValue(record.sleeveCondition)
        default: text(of: record).map { .text($0) } ?? .none
        }
    }

    /// Returns the value for sorting. Texts are sorted without regard to case, accents and width, and then as they are.
    func sortKey(of record: Record) -> String? {
        let value = value(of: record)
        guard kind == .text, case .text(let text) = value, let key = value.sortable else { return value.sortable }
        return "2\(SearchWords.folded(text.trimmed))\u{1}\(key)"
    }

    /// Returns a free text as it is compared: without white space around it, as other programs store it, and for words
    /// of a shop without regard to case.
    func comparable(_ text: String) -> String {
        let isWord = [.genre, .format, .label, .location].contains(self)
        return isWord ? text.trimmed.lowercased() : text.trimmed
    }

    /// Parses the value of a filter such as `--where price=18.5`. Brings it to the form in records: a barcode as
    /// EAN-13, a grade by its short name. An empty string is `none`, except for free text.
    func value(from text: String) throws(FieldError) -> FieldValue {
        if kind != .text, text.trimmed.isEmpty { return .none }
        switch kind {
        case .text: return .text(self == .consignor ? text.personName : text)
        case .integer, .price:
            do throws(InvalidValue) {
                guard kind == .price else {
                    if let number = Int128(text.trimmed) { return .number(number) }
                    throw InvalidValue("not a whole number of at most 38 digits")
                }
                let units = try Money.units(in: text, decimals: FieldValue.priceDecimals, of: "the finest currency")
                return .number(Int128(units))
            } catch {
                throw FieldError(field: self, value: text, reason: error.reason)
            }
        case .code:
            var draft = RecordDraft()
            try draft.set(self, to: text)
            return value(of: draft.values)
        }
    }
}

extension FieldValue {
    fileprivate init(_ number: Int?) {
        self = number.map { .number(Int128($0)) } ?? .none
    }

    fileprivate init(_ condition: SleeveCondition?) {
        switch condition {
        case .graded(let grade)?: self = .grade(grade)
        case let condition?: self = .text(condition.rawValue)
        case nil: self = .none
        }
    }

    fileprivate init(_ price: Money) {
        var number = Int128(price.amount)
        for _ in price.currency.exponent..<Self.priceDecimals { number *= 10 }
        self = .number(number)
    }
}

extension FieldValue {
    /// The value as a string whose UTF-8 has the order of the values, or `nil` for a missing value.
    ///
    /// Text is in normalization form C. Swift 6.3.1 does not order "e\u{301}" before "\u{E9}1", though they begin with
    /// the same character.
    var sortable: String? {
        switch self {
        case .none: nil
        case .number(let number): "1" + Self.digits(of: number)
        case .text(let text): "2" + text.precomposedStringWithCanonicalMapping
        case .grade(let grade): "3\(9 - (MediaCondition.allCases.firstIndex(of: grade) ?? 9))"
        }
    }

    /// Returns as many digits for each number. Inverts the sign, so that negative numbers come first.
    private static func digits(of number: Int128) -> String {
        let (high, low) = (Int64(truncatingIfNeeded: number >> 64), UInt64(truncatingIfNeeded: number))
        return sortable(high) + padded(low)
    }

    /// Returns 16 digits whose order is that of the numbers.
    static func sortable(_ number: Int64) -> String { padded(UInt64(bitPattern: number) ^ (1 << 63)) }

    private static func padded(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
