import Foundation

/// Percent-encoding (RFC 3986 section 2).
enum PercentEncoding {
    /// Appends `text` to `result`. Percent-encodes every UTF-8 byte that isn't allowed.
    static func append(_ text: String, to result: inout String, allowed: ByteSet = .unreserved) {
        if allowed.containsAll(of: text) { return result.append(text) }
        result += String(unsafeUninitializedCapacity: text.utf8.count * 3) { buffer in
            var count = 0
            write(text, to: buffer, at: &count, allowed: allowed)
            return count
        }
    }

    /// Writes `text` to a buffer. Percent-encodes every UTF-8 byte that isn't allowed.
    ///
    /// - Parameters:
    ///   - text: The string to encode.
    ///   - buffer: The buffer. It must have room for three bytes for each byte of `text`.
    ///   - count: The index to write at. It is moved past the written bytes.
    ///   - space: The byte that replaces a space that isn't allowed, or `nil` to percent-encode it.
    ///   - allowed: The bytes that are not encoded.
    static func write(
        _ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, at count: inout Int,
        space: UInt8? = nil, allowed: ByteSet
    ) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes {
                if allowed.contains(byte) {
                    buffer[count] = byte
                    count += 1
                } else if let space, byte == UInt8(ascii: " ") {
                    buffer[count] = space
                    count += 1
                } else {
                    buffer[count] = UInt8(ascii: "%")
                    buffer[count + 1] = hexadecimal(byte >> 4)
                    buffer[count + 2] = hexadecimal(byte & 15)
                    count += 3
                }
            }
        }
    }

    /// Appends `text` to `result`. Percent-encodes every byte that isn't allowed, and keeps existing percent-encodings.
    static func append(keepingEscapes text: Substring, to result: inout String, allowed: ByteSet) {
        var rest = text
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            append(String(rest[..<percent]), to: &result, allowed: allowed)
            rest = rest[rest.utf8.index(after: percent)...]
            result += startsWithTwoDigits(rest) ? "%" : "%25"
        }
        append(String(rest), to: &result, allowed: allowed)
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

    /// Decodes the percent-encodings in a form or a query, and decodes `+` as a space.
    static func decoded(_ text: Substring) -> String {
        decoded(Array(text.utf8)[...])
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
