/// Numbers as text, for ids.
enum Hexadecimal {
    /// Sixteen digits in lower case for each number.
    static func text(of numbers: UInt64...) -> String {
        let digitOf: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: numbers.count * 16) { digits in
            var index = 0
            for number in numbers {
                for shift in stride(from: UInt64(60), through: 0, by: -4) {
                    digits[index] = digitOf.utf8Start[Int(truncatingIfNeeded: number &>> shift) & 15]
                    index &+= 1
                }
            }
            return index
        }
    }
}
