import Foundation

/// Sorts records, which it holds as the strings to print.
struct RecordSorter {
    private let sort: [Command.SortKey]
    private var lines: LineSorter

    /// - Parameters:
    ///   - limit: the maximum number of records to return.
    ///   - capacity: the number of records in memory.
    init(_ sort: [Command.SortKey], limit: Int?, capacity: Int = 5_000) {
        self.sort = sort
        lines = LineSorter(directions: sort.map(\.isDescending), limit: limit, capacity: capacity)
    }

    /// - Parameter text: the string to return for the record.
    mutating func add(_ record: Record, _ text: String) throws {
        try lines.add(sort.map { $0.field.value(of: record).sortable }, record.sku.text, text)
    }

    /// Ends the adding. Call it before ``next()``.
    mutating func finish() throws {
        try lines.finish()
    }

    /// Returns the next record in order, or `nil` at the end.
    mutating func next() throws -> (sku: SKU, text: String)? {
        try lines.next().map { (try SKU($0.id), $0.text) }
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
        let digits = String(UInt128(bitPattern: number) ^ (1 << 127), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
