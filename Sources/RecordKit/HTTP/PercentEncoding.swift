/// Percent-encoding (RFC 3986 section 2).
enum PercentEncoding {
    /// Appends `text` with every byte of its UTF-8 encoded that is not allowed.
    static func append(_ text: String, to result: inout String, allowed: ByteSet = .unreserved) {
        if allowed.containsAll(of: text) { return result.append(text) }
        result += String(unsafeUninitializedCapacity: text.utf8.count * 3) { buffer in
            var count = 0
            write(text, to: buffer, at: &count, allowed: allowed)
            return count
        }
    }

    /// Writes the same at `count` and adds what it took; there has to be room for three bytes for each of the text's.
    ///
    /// - Parameter space: what is written for a space, where it is not allowed and not to be encoded.
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

    /// Appends `text` with every byte encoded that is not allowed, but for what is percent-encoded already.
    static func append(keepingEscapes text: Substring, to result: inout String, allowed: ByteSet) {
        var rest = text
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            append(String(rest[..<percent]), to: &result, allowed: allowed)
            rest = rest[rest.utf8.index(after: percent)...]
            result += startsWithTwoDigits(rest) ? "%" : "%25"
        }
        append(String(rest), to: &result, allowed: allowed)
    }

    /// Whether the text begins as what follows the percent sign of an encoded byte.
    static func startsWithTwoDigits(_ text: Substring) -> Bool {
        var digits = text.utf8.makeIterator()
        guard let first = digits.next(), let second = digits.next() else { return false }
        return ByteSet.hexadecimal.contains(first) && ByteSet.hexadecimal.contains(second)
    }

    /// The text of a form's or a query's bytes, a plus as a space; what is no encoded byte stays, as in a text that was
    /// cut within one.
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

    static func decoded(_ text: Substring) -> String {
        decoded(Array(text.utf8)[...])
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? 48 + digit : 55 + digit
    }
}
