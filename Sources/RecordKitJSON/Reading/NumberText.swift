import Foundation

/// Numbers from their JSON text, exactly or not at all.
enum NumberText {
    typealias Bytes = UnsafeBufferPointer<UInt8>
    typealias Float = BinaryFloatingPoint & LosslessStringConvertible

    /// Returns an integer from digits without a fraction or exponent, or `nil` if it doesn't fit.
    @inline(__always)
    static func integer<Integer: FixedWidthInteger>(_ text: Bytes) -> Integer? {
        let isNegative = text.first == UInt8(ascii: "-")
        var position = isNegative ? 1 : 0
        // 18 digits always fit in a word.
        if text.count <= 18 {
            var word: Int = 0
            while position < text.count {
                word = word &* 10 &+ Int(text[position] &- UInt8(ascii: "0"))
                position += 1
            }
            return Integer(exactly: isNegative ? -word : word)
        }
        var integer: Integer = 0
        while position < text.count {
            let digit = Integer(truncatingIfNeeded: text[position] &- UInt8(ascii: "0"))
            let product = integer.multipliedReportingOverflow(by: 10)
            let sum =
                isNegative
                ? product.partialValue.subtractingReportingOverflow(digit)
                : product.partialValue.addingReportingOverflow(digit)
            if product.overflow || sum.overflow { return nil }
            integer = sum.partialValue
            position += 1
        }
        return integer
    }

    /// Returns an integer from any number. `nil` if it isn't whole or doesn't fit.
    static func anyInteger<Integer: FixedWidthInteger>(_ text: Bytes) -> Integer? {
        let hasDigitsAlone = text.allSatisfy { $0 <= UInt8(ascii: "9") && $0 != UInt8(ascii: ".") }
        return hasDigitsAlone ? integer(text) : wholeNumber(text)
    }

    /// Returns an integer from a number that may have a fraction or exponent, such as `1.50e2`. `nil` if it isn't
    /// whole.
    static func wholeNumber<Integer: FixedWidthInteger>(_ text: Bytes) -> Integer? {
        let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.count
        let point = text[..<mark].firstIndex(of: UInt8(ascii: ".")) ?? mark
        let fraction = mark - min(point + 1, mark)
        var digits = text[..<mark].filter { $0 != UInt8(ascii: ".") }
        guard digits.contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) else { return 0 }
        // An exponent that doesn't fit in a word leaves no whole number that fits in `Integer`.
        guard var exponent = mark < text.count ? Int(String(decoding: text[(mark + 1)...], as: UTF8.self)) : 0 else {
            return nil
        }
        exponent = exponent.subtractingReportingOverflow(fraction).partialValue
        while exponent < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        // UInt128 has 39 digits.
        guard 0...39 ~= exponent else { return nil }
        digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent))
        return digits.withUnsafeBufferPointer { integer($0) }
    }

    /// Returns the nearest number, or `nil` if it is too large.
    @inline(__always)
    static func float<Number: Float>(_ text: Bytes) -> Number? {
        if let short = short(text), short.mantissa >> UInt64(Number.significandBitCount + 1) == 0 {
            // Both are exact, so the quotient or product is rounded once.
            let power = Number(powers[abs(short.exponent)])
            let isExact = abs(short.exponent) <= (Number.significandBitCount == 52 ? 22 : 10)
            if isExact {
                let magnitude = short.exponent < 0 ? Number(short.mantissa) / power : Number(short.mantissa) * power
                return short.isNegative ? -magnitude : magnitude
            }
        }
        guard let number = Number(String(decoding: text, as: UTF8.self)), number.isFinite else { return nil }
        return number
    }

    static func decimal(_ text: Bytes) -> Decimal? {
        if let short = short(text) {
            let significand = Decimal(short.mantissa)
            let sign = short.isNegative && short.mantissa != 0 ? FloatingPointSign.minus : .plus
            return Decimal(sign: sign, exponent: short.exponent, significand: significand)
        }
        guard let decimal = Decimal(string: String(decoding: text, as: UTF8.self)), decimal.isFinite else { return nil }
        return decimal
    }

    /// A number of at most 18 digits with a small exponent.
    private struct Short {
        var isNegative: Bool
        var mantissa: UInt64
        var exponent: Int
    }

    @inline(__always)
    private static func short(_ text: Bytes) -> Short? {
        guard text.count <= 19 else { return nil }
        var short = Short(isNegative: false, mantissa: 0, exponent: 0)
        var hasPoint = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): short.isNegative = true
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                short.mantissa = short.mantissa &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
                if hasPoint { short.exponent -= 1 }
            default: return nil
            }
        }
        return short
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
