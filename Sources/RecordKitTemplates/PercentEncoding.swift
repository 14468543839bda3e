/// Percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
    /// RFC 3986 section 2.3.
    static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// RFC 3986 section 2.2.
    static let unreservedAndReserved = unreserved.union(":/?#[]@!$&'()*+,;=".utf8)

    /// Returns the text with every byte encoded that is not allowed.
    ///
    /// - Parameter keepsEscapes: Whether bytes that are percent-encoded already stay as they are.
    static func encoded(_ text: String, allowed: Set<UInt8>, keepsEscapes: Bool) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if allowed.contains(byte) || keepsEscapes && byte == UInt8(ascii: "%") && startsWithTwoDigits(rest) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether the bytes begin with two hexadecimal digits, as follow the percent sign of an encoded byte.
    static func startsWithTwoDigits(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.prefix(2)
        return start.count == 2 && start.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
