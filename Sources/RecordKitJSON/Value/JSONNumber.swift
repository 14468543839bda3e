public import Foundation

/// A number in its JSON text, which keeps all digits.
///
/// Numbers are equal if their texts are: `1` and `1.0` differ.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The JSON text, such as `-1.50e3`.
    public let text: String

    /// Creates a number from its JSON text. Returns `nil` if the text isn't a number of RFC 8259 section 6.
    public init?(_ text: String) {
        guard case .number(let number) = try? JSONValue(reading: Array(text.utf8)), number.text == text else {
            return nil
        }
        self = number
    }

    /// Creates a number from an integer.
    public init(_ integer: some BinaryInteger) {
        text = integer.description
    }

    /// Creates a number from a floating-point number. Returns `nil` if it isn't finite.
    public init?(_ number: Double) {
        guard number.isFinite else { return nil }
        text = FloatText.text(number)
    }

    init(checked text: String) {
        self.text = text
    }

    /// The JSON text.
    public var description: String { text }

    /// The number as an integer type, or `nil` if it isn't whole or doesn't fit.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        withBytes { NumberText.anyInteger($0) }
    }

    /// The nearest `Double`, or `nil` if the number is too large.
    public var double: Double? { withBytes { NumberText.float($0) } }

    /// The number as a `Decimal` of at most 38 digits, or `nil` if it is too large.
    public var decimal: Decimal? { withBytes { NumberText.decimal($0) } }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        return text.withUTF8(body)
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
    /// Creates a number from a literal.
    public init(integerLiteral value: Int) { self.init(value) }
}
