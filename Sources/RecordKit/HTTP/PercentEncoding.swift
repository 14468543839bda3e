/// Percent-encoding (RFC 3986 section 2).
enum PercentEncoding {
    /// The characters that never need it: letters, digits, `-`, `.`, `_`, `~` (RFC 3986 section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Appends `text` with every byte of its UTF-8 encoded that `isAllowed` refuses.
    static func append(_ text: some StringProtocol, to result: inout String, allowed isAllowed: (UInt8) -> Bool) {
        if text.utf8.allSatisfy(isAllowed) { return result.append(contentsOf: text) }
        for byte in text.utf8 {
            if isAllowed(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                append(byte, to: &result)
            }
        }
    }

    static func append(_ byte: UInt8, to result: inout String) {
        result.unicodeScalars.append("%")
        result.unicodeScalars.append(hexadecimal(byte >> 4))
        result.unicodeScalars.append(hexadecimal(byte & 15))
    }

    private static func hexadecimal(_ digit: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(digit < 10 ? 48 + digit : 55 + digit)
    }
}
