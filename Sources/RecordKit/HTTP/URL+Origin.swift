import Foundation

extension URL {
    /// Scheme, host and port (RFC 6454), in lower case, the port always named: `https://store.example:443`.
    package var origin: String {
        plainOrigin(withScheme: true) ?? "\(scheme?.lowercased() ?? "")://\(hostAndPort.lowercased())"
    }

    /// Host and port, the port always named: `store.example:443`.
    package var hostAndPort: String {
        if let plain = plainOrigin(withScheme: false) { return plain }
        let name = host(percentEncoded: false) ?? ""
        let number = port ?? (scheme?.lowercased() == "http" ? 80 : 443)
        return name.contains(":") ? "[\(name)]:\(number)" : "\(name):\(number)"
    }

    /// The same where it can be read off the text: no capital letter, nothing encoded, no credentials, no IPv6 address.
    /// Every attempt asks several times, and taking the URL apart costs ten times as much.
    private func plainOrigin(withScheme: Bool) -> String? {
        var text = absoluteString
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let start = isSecure ? 8 : 7
        return text.withUTF8 { bytes in
            var end = start
            while end < bytes.count, Self.isPlain(bytes[end]) { end += 1 }
            if end == start { return nil }
            let port = bytes[end...].prefix { !"/?#".utf8.contains($0) }
            let kept = UnsafeBufferPointer(rebasing: bytes[(withScheme ? 0 : start)..<port.endIndex])
            if port.isEmpty {
                let standardPort: StaticString = isSecure ? ":443" : ":80"
                return String(unsafeUninitializedCapacity: kept.count + standardPort.utf8CodeUnitCount) { buffer in
                    let next = buffer.update(fromContentsOf: kept)
                    return standardPort.withUTF8Buffer { buffer[next...].update(fromContentsOf: $0) }
                }
            }
            // Not as it stands, when it is written as `0443`, `+443` or not at all.
            guard port.first == UInt8(ascii: ":"), port.count >= 2, port.count <= 6 else { return nil }
            var number = 0
            for byte in port.dropFirst() {
                guard byte >= 48, byte <= 57, number > 0 || byte > 48 || port.count == 2 else { return nil }
                number = number * 10 + Int(byte - 48)
            }
            if number > 65_535 { return nil }
            return String(decoding: kept, as: UTF8.self)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
