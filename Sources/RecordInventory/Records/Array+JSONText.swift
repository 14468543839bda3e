extension [UInt8] {
    /// Appends the text as a JSON string (RFC 8259 section 7), quotes included.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): append(contentsOf: "\\t".utf8)
            case ..<0x20: append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
