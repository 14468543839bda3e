import Foundation

extension URL {
    /// Scheme, host and port (RFC 6454), in lower case, the port always named: `https://store.example:443`.
    var origin: String {
        plainOrigin ?? "\(scheme?.lowercased() ?? "")://\(hostAndPort.lowercased())"
    }

    /// The same where it can be read off the text: no capital letter, nothing encoded, no credentials, no IPv6 address.
    /// Every attempt asks, and taking the URL apart costs ten times as much.
    private var plainOrigin: String? {
        var text = absoluteString
        return text.withUTF8 { bytes in
            let isSecure = bytes.starts(with: "https://".utf8)
            guard isSecure || bytes.starts(with: "http://".utf8) else { return nil }
            let host = bytes[(isSecure ? 8 : 7)...].prefix { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            if host.isEmpty { return nil }
            let plain = String(decoding: bytes[..<host.endIndex], as: UTF8.self)
            let rest = bytes[host.endIndex...]
            switch rest.first {
            case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                return plain + (isSecure ? ":443" : ":80")
            case UInt8(ascii: ":"):
                let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
                // Not as it stands, when it is written as `0443`, `+443` or not at all.
                let port = String(decoding: digits, as: UTF8.self)
                guard let number = UInt16(port), String(number) == port else { return nil }
                return plain + ":" + port
            default: return nil
            }
        }
    }
}
