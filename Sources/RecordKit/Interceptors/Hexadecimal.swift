/// Ids as they are written in headers.
enum Hexadecimal {
    /// Sixteen digits in lower case.
    static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
