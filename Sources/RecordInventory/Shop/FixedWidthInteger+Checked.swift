/// A sum or a product that is too large for its type.
struct Overflow: Error, CustomStringConvertible {
    var description: String { "the amounts are too large to be added up: look for a wrong one with `history`" }
}

/// Arithmetic whose numbers another program wrote: it throws instead of ending the process.
extension FixedWidthInteger {
    func adding(_ other: Self) throws(Overflow) -> Self { try Self.checked(addingReportingOverflow(other)) }

    func subtracting(_ other: Self) throws(Overflow) -> Self { try Self.checked(subtractingReportingOverflow(other)) }

    func multiplied(by other: Self) throws(Overflow) -> Self {
        try Self.checked(multipliedReportingOverflow(by: other))
    }

    mutating func add(_ other: Self) throws(Overflow) { self = try adding(other) }

    private static func checked(_ result: (partialValue: Self, overflow: Bool)) throws(Overflow) -> Self {
        if result.overflow { throw Overflow() }
        return result.partialValue
    }
}
