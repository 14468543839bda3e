/// What RFC 9110 section 5.6.2 calls a token: methods, field names, parts of media types.
enum HTTPToken {
    static func contains(_ byte: UInt8) -> Bool {
        // Letters, digits and !#$%&'*+-.^_`|~, one bit for each.
        if byte < 64 { return 0x03FF_6CFA_0000_0000 & (1 &<< UInt64(byte)) != 0 }
        return byte < 128 && 0x57FF_FFFF_C7FF_FFFE & (1 &<< UInt64(byte - 64)) != 0
    }

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.allBytes(satisfy: contains)
    }
}
