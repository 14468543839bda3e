/// Numbers as text, for ids.
enum Hexadecimal {
    /// Sixteen digits in lower case for each number.
    static func text(of numbers: UInt64...) -> String {
        String(unsafeUninitializedCapacity: numbers.count * 16) { text in
            var count = 0
            for number in numbers {
                for shift in stride(from: 60, through: 0, by: -4) {
                    let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
                    text[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    count += 1
                }
            }
            return count
        }
    }
}
