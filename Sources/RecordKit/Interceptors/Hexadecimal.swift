/// Ids as they are written in headers.
enum Hexadecimal {
    /// Sixteen digits in lower case for each number.
    static func text(of numbers: UInt64...) -> String {
        String(unsafeUninitializedCapacity: numbers.count * 16) { digits in
            for (index, digit) in digits.indices.prefix(numbers.count * 16).enumerated() {
                let nibble = UInt8(truncatingIfNeeded: numbers[index / 16] >> UInt64(60 - index % 16 * 4)) & 15
                digits[digit] = nibble < 10 ? nibble + 48 : nibble + 87
            }
            return numbers.count * 16
        }
    }
}
