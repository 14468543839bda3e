import Foundation

/// Percent-encoding (RFC 3986 section 2).
enum PercentEncoding {
    /// Returns `text` with every UTF-8 byte percent-encoded that isn't allowed.
    static func encoded(_ text: String, allowed: ByteSet = .unreserved) -> String {
        if allowed.containsAll(of: text) { return text }
        return String(unsafeUninitializedCapacity: text.utf8.count * 3) { buffer in
            var count = 0
            for byte in text.utf8 {
                if allowed.contains(byte) {
                    buffer[count] = byte
                    count += 1
                } else {
                    buffer[count] = UInt8(ascii: "%")
                    buffer[count + 1] = hexadecimal(byte >> 4)
                    buffer[count + 2] = hexadecimal(byte & 15)
                    count += 3
                }
            }
            return count
        }
    }

    /// Returns `text` with every byte percent-encoded that isn't allowed. Keeps existing percent-encodings.
    static func encoded(keepingEscapes text: Substring, allowed: ByteSet) -> String {
        var result = ""
        var rest = text
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            result += encoded(String(rest[..<percent]), allowed: allowed)
            rest = rest[rest.utf8.index(after: percent)...]
            result += startsWithTwoDigits(rest) ? "%" : "%25"
        }
        return result + encoded(String(rest), allowed: allowed)
    }

    /// Returns whether a string begins with two hexadecimal digits.
    static func startsWithTwoDigits(_ text: Substring) -> Bool {
        var digits = text.utf8.makeIterator()
        guard let first = digits.next(), let second = digits.next() else { return false }
        return ByteSet.hexadecimal.contains(first) && ByteSet.hexadecimal.contains(second)
    }

    /// Decodes the percent-encodings in a form or a query, and decodes `+` as a space.
    ///
    /// Keeps a percent sign without two hexadecimal digits, such as one at the end of a truncated string.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let number = digits[...].number(radix: 16) {
                decoded.append(UInt8(number))
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Returns the ASCII character of a hexadecimal digit.
    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? 48 + digit : 55 + digit
    }
}

extension Data {
    /// Creates the UTF-8 of a string.
    ///
    /// Avoids `Data(text.utf8)`: specializing that generic initializer adds 4 KB of code.
    init(text: String) {
        var text = text
        self = text.withUTF8 { Data(buffer: $0) }
    }
}
