#if canImport(FoundationNetworking)
import Foundation

// Linux's URLSession refuses an address whose host libcurl writes otherwise than Foundation does. Of an IPv6 address
// libcurl writes the brackets, and Foundation does not: but where they are percent-encoded, both do.
extension URL {
    /// Whether its host is an IPv6 address, `[::1]`. For an address in small letters that is absolute.
    var hasAddressHost: Bool {
        var text = absoluteString
        return text.withUTF8 { bytes in
            let start = bytes.starts(with: "https".utf8) ? 8 : 7
            return bytes.count > start && bytes[start] == UInt8(ascii: "[")
        }
    }

    /// As Linux's URLSession takes it; as it is where that cannot be, which URLSession then says. libcurl writes an
    /// address in its shortest form, and one with a zone, `[fe80::1%25eth0]`, without that.
    var withEncodedAddress: URL {
        let text = absoluteString
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]"),
            let address = Self.shortest(String(text[open...].dropFirst().prefix { $0 != "]" }))
        else { return self }
        let host = "%5B" + address.replacing(":", with: "%3A") + "%5D"
        return URL(string: text[..<open] + host + text[close...].dropFirst()) ?? self
    }

    private static func shortest(_ address: String) -> String? {
        var bytes = in6_addr()
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, address, &bytes) == 1,
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
