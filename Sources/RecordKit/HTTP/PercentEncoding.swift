/// Percent-encoding (RFC 3986 section 2).
enum PercentEncoding {
    /// The characters that never need it: letters, digits, `-`, `.`, `_`, `~` (RFC 3986 section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        // One bit for each of them, since this is asked for every byte of every address.
        if byte < 64 { return 0x03FF_6000_0000_0000 & (1 &<< UInt64(byte)) != 0 }
        return byte < 128 && 0x47FF_FFFE_87FF_FFFE & (1 &<< UInt64(byte - 64)) != 0
    }

    /// `:/?#[]@` and `!$&'()*+,;=` (RFC 3986 section 2.2).
    static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?"),
            UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// Appends `text` with every byte of its UTF-8 encoded that `isAllowed` refuses.
    static func append(
        _ text: some StringProtocol, to result: inout String, allowed isAllowed: (UInt8) -> Bool = isUnreserved
    ) {
        if text.allBytes(satisfy: isAllowed) { return result.append(contentsOf: text) }
        result += String(unsafeUninitializedCapacity: text.utf8.count * 3) { buffer in
            var count = 0
            write(text, to: buffer, at: &count, allowed: isAllowed)
            return count
        }
    }

    /// Writes the same at `count` and adds what it took; there has to be room for three bytes for each of the text's.
    ///
    /// - Parameter space: what is written for a space, where it is not allowed and not to be encoded.
    @inline(__always)
    static func write(
        _ text: some StringProtocol, to buffer: UnsafeMutableBufferPointer<UInt8>, at count: inout Int,
        space: UInt8? = nil, allowed isAllowed: (UInt8) -> Bool = isUnreserved
    ) {
        func write(_ byte: UInt8) {
            if isAllowed(byte) {
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
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { for byte in $0 { write(byte) } }
        if isDone == nil { for byte in text.utf8 { write(byte) } }
    }

    /// Appends `text` with every byte encoded that `isAllowed` refuses, but for what is percent-encoded already.
    static func append(
        keepingEscapes text: some StringProtocol, to result: inout String, allowed isAllowed: (UInt8) -> Bool
    ) {
        var rest = text[...]
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            append(rest[..<percent], to: &result, allowed: isAllowed)
            let isEscape = rest.utf8[percent...].dropFirst().prefix(2).count { isHexadecimal($0) } == 2
            result += isEscape ? "%" : "%25"
            rest = rest[rest.utf8.index(after: percent)...]
        }
        append(rest, to: &result, allowed: isAllowed)
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? 48 + digit : 55 + digit
    }
}
