#if canImport(FoundationNetworking)
import Foundation

extension URL {
    /// As Linux's URLSession takes it, which refuses an address whose host libcurl writes otherwise than Foundation does.
    /// Of an IPv6 address libcurl writes the brackets, and Foundation does not: but where they are percent-encoded, both
    /// do. What cannot be written so stays as it is, and URLSession says what is wrong.
    ///
    /// For an address in small letters that is absolute.
    var withEncodedAddress: URL {
        guard hasAddressHost else { return self }
        let text = absoluteString
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]"),
            let address = Self.shortest(String(text[text.index(after: open)..<close]))
        else { return self }
        let host = "%5B" + address.replacing(":", with: "%3A") + "%5D"
        return URL(string: text[..<open] + host + text[close...].dropFirst()) ?? self
    }

    /// Whether its host is an IPv6 address, `[::1]`.
    private var hasAddressHost: Bool {
        var text = absoluteString
        return text.withUTF8 { bytes in
            let start = bytes.starts(with: "https".utf8) ? 8 : 7
            return bytes.count > start && bytes[start] == UInt8(ascii: "[")
        }
    }

    /// As libcurl writes an address; nil for one with a zone, `fe80::1%25eth0`, which libcurl leaves out.
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
