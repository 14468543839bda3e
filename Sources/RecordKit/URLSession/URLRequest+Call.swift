#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLRequest {
    /// The call as URLSession wants it, for a transport of one's own. A body that is a stream has to be spooled first; see
    /// ``EncodedBody/spooled()``.
    ///
    /// Its timeout is five seconds longer than the call's: RecordKit's fires first, which on Linux is needed.
    public init(_ call: NetworkCall) {
        #if canImport(FoundationNetworking)
        self.init(url: call.url.withEncodedAddress)
        #else
        self.init(url: call.url)
        #endif
        if call.method != .get { httpMethod = call.method.rawValue }
        allHTTPHeaderFields = call.headers.joined
        if let body = call.body { setBody(body) }
        // Ours fires first; Foundation's counts whole seconds, and traps on numbers that are too large.
        timeoutInterval = call.timeout.timeInterval.rounded(.up) + 5
    }
}

extension HTTPHeaders {
    /// By name, several values joined with `", "`, cookies with `"; "` (RFC 9113 section 8.2.3). Of two names that
    /// differ in case alone URLRequest would keep one.
    var joined: [String: String] {
        var joined = [String: String](minimumCapacity: fields.count)
        for index in fields.indices {
            let name = fields[index].name
            let value = Self.withoutBlanksBefore(fields[index].value)
            if let first = self.index(of: name, before: index) {
                let separator = Self.matches(name, "Cookie") ? "; " : ", "
                joined[fields[first].name]? += separator + value
            } else {
                joined[name] = value
            }
        }
        return joined
    }

    /// They are no part of a value (RFC 9110 section 5.5), and of one that is blank libcurl sends not even the name.
    private static func withoutBlanksBefore(_ value: String) -> String {
        value.utf8.first?.isBlank == true ? String(value[...].trimmed) : value
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension NetworkResponse {
    /// The head that URLSession received for a call.
    init(_ response: HTTPURLResponse, of call: NetworkCall) {
        #if canImport(FoundationNetworking)
        // No redirect is followed behind a call's back, so the response's address differs at most by an encoded host.
        let url = call.url
        #else
        let url = response.url ?? call.url
        #endif
        let received = response.allHeaderFields
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(received.count)
        for (name, value) in received {
            guard let name = name.base as? String, let value = value as? String else { continue }
            // White space around a value is no part of it (RFC 9110 section 5.5), and Linux leaves that after it.
            let isPadded = value.utf8.last?.isBlank == true
            fields.append(
                HTTPHeaders.Field(received: name, value: isPadded ? String(value[...].trimmed) : value))
        }
        self.init(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)
    }
}

#if canImport(FoundationNetworking)
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
