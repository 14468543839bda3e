/// What is set with `name=value` or `name: value` in plain text under a secret name.
enum AssignmentSecrets {
    static func found(in bytes: [UInt8], _ names: SecretNames) -> [SecretPlace] {
        var found: [SecretPlace] = []
        var start = 0
        // Of the last that was found: all within it is secret, and a long text of such names would be read again for
        // each.
        var end = 0
        for (index, byte) in bytes.enumerated() where !isNameByte(byte) {
            let name = bytes[start..<index]
            start = index + 1
            // `name = value`, and `'name': value`.
            guard !name.isEmpty, index >= end,
                let sign = bytes[index...].firstIndex(where: { !" \t'".utf8.contains($0) }),
                bytes[sign] == UInt8(ascii: "=") || bytes[sign] == UInt8(ascii: ":")
            else { continue }
            let text = PercentEncoding.decoded(name)
            guard names.isSecret(text) else { continue }
            let value = bytes[(sign + 1)...].firstIndex { !" \t\"'".utf8.contains($0) } ?? bytes.count
            // A value with spaces in it, `Bearer …`, ends with its line.
            end = bytes[value...].firstIndex { "&;,\"'\r\n<".utf8.contains($0) } ?? bytes.count
            if end > value { found.append(SecretPlace(range: value..<end, name: text)) }
        }
        return found
    }

    /// A token's, and the brackets of `user[pin]`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        (ByteSet.token.contains(byte) || "[]".utf8.contains(byte)) && !"&'".utf8.contains(byte)
    }
}
