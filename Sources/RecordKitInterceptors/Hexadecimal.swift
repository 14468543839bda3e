import RecordKit

/// Numbers as text, for ids.
enum Hexadecimal {
    private static let digits: StaticString = "0123456789abcdef"

    /// Sixteen digits in lower case for each number.
    static func text(of numbers: UInt64...) -> String {
        String(unsafeUninitializedCapacity: numbers.count * 16) { text in
            var count = 0
            for var number in numbers {
                for index in (count..<count + 16).reversed() {
                    text[index] = digits.utf8Start[Int(truncatingIfNeeded: number & 15)]
                    number >>= 4
                }
                count += 16
            }
            return count
        }
    }
}
