#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLRequest {
    /// Creates the request for a call, for a custom transport based on URLSession.
    ///
    /// A body that is a stream must be spooled first; see ``EncodedBody/spooled()``. The timeout is five seconds longer
    /// than the call's, so that RecordKit's timeout fires first. Linux requires this.
    ///
    /// - Parameter call: The call to send.
    public init(_ call: NetworkCall) {
        #if canImport(FoundationNetworking)
        self.init(url: call.url.withEncodedAddress)
        #else
        self.init(url: call.url)
        #endif
        if call.method != .get { httpMethod = call.method.rawValue }
        allHTTPHeaderFields = call.headers.joined
        if let body = call.body { setBody(body, of: call) }
        // RecordKit's timeout fires first. Linux's URLSession (Swift 6.3.1) truncates to whole seconds, and traps on
        // very large numbers.
        timeoutInterval = call.timeout.timeInterval.rounded(.up) + 5
    }
}

extension HTTPHeaders {
    /// The values by name. Several values are joined with `", "`, cookies with `"; "` (RFC 9113 section 8.2.3).
    ///
    /// Merges names that differ only in case. `URLRequest` would keep one of them.
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

    /// Returns the value without leading whitespace, which isn't part of it (RFC 9110 section 5.5).
    ///
    /// libcurl leaves out a field with a blank value. It sends a field with an empty one.
    private static func withoutBlanksBefore(_ value: String) -> String {
        value.utf8.first?.isBlank == true ? String(value[...].trimmed) : value
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension NetworkResponse {
    /// Creates a response from the head that URLSession received for a call.
    init(_ response: HTTPURLResponse, of call: NetworkCall) {
        #if canImport(FoundationNetworking)
        // URLSession follows no redirect by itself, so the URL is the call's. The response's URL may contain an encoded
        // host.
        let url = call.url
        #else
        let url = response.url ?? call.url
        #endif
        let received = response.allHeaderFields
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(received.count)
        for (name, value) in received {
            guard let name = name.base as? String, let value = value as? String else { continue }
            // Linux's URLSession (Swift 6.3.1) keeps whitespace after a value, which isn't part of it (RFC 9110 section
            // 5.5).
            let isPadded = value.utf8.last?.isBlank == true
            // URLSession joins several lines, but a cookie's line may contain a comma (RFC 6265 section 3).
            if HTTPHeaders.matches(name, "Set-Cookie") {
                fields += SetCookie.split(value).map { HTTPHeaders.Field(received: name, value: String($0.trimmed)) }
                continue
            }
            fields.append(
                HTTPHeaders.Field(received: name, value: isPadded ? String(value[...].trimmed) : value))
        }
        self.init(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)
    }
}

#if canImport(FoundationNetworking)
extension URL {
    /// The URL in a form that Linux's URLSession accepts. The URL must be absolute, with a lowercase scheme.
    ///
    /// Linux's URLSession (Swift 6.3.1) rejects a URL if Foundation and libcurl write its host differently. Only
    /// libcurl writes the brackets of an IPv6 address, but both write percent-encoded brackets. An address that can't
    /// be converted is left unchanged, so that URLSession reports the error.
    var withEncodedAddress: URL {
        let text = absoluteString
        guard text.hasPrefix("http://[") || text.hasPrefix("https://[") else { return self }
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]"),
            let address = Self.shortest(String(text[text.index(after: open)..<close]))
        else { return self }
        let host = "%5B" + address.replacing(":", with: "%3A") + "%5D"
        return URL(string: text[..<open] + host + text[close...].dropFirst()) ?? self
    }

    /// Returns an address as libcurl writes it. Returns `nil` for an address with a zone, such as `fe80::1%25eth0`,
    /// because libcurl drops the zone.
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
