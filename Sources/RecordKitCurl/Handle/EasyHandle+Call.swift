import CCurl
import Foundation
import RecordKit

extension EasyHandle {
    /// Sets the request line, the header fields and the framing of the body. Its bytes are read by a function.
    func apply(_ call: NetworkCall, _ options: CurlTransport.Options) {
        let url = call.url.absoluteString
        set(CURLOPT_URL, url)
        setMethod(call)
        setHeaderLines(of: call)
        // libcurl sends trailers in chunked bodies alone, which HTTP/2 doesn't have.
        let mayUseHTTP2 = CurlLibrary.noticesCutBodiesOverHTTP2 && call.body?.hasTrailers != true
        setVersion(mayUseHTTP2 ? options.http2 : .never, isSecure: url.hasPrefix("https:"), call)
    }

    private func setVersion(_ http2: CurlTransport.HTTP2, isSecure: Bool, _ call: NetworkCall) {
        // The size of a read from the socket. glibc's malloc is slower for 64 KiB or more. Over HTTP/2, a head that is
        // larger than this never arrives (7.88.1).
        let mayBeHTTP2 = http2 == .priorKnowledge || http2 == .overTLS && isSecure
        set(CURLOPT_BUFFERSIZE, call.delivery == .streamed || mayBeHTTP2 ? 256 << 10 : 32 << 10)
        switch http2 {
        case .priorKnowledge where !isSecure:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
            // libcurl 7.88.0 and 7.88.1 can't send a second request on such a connection.
            if (0x07_58_00...0x07_58_01).contains(CurlLibrary.versionNumber) {
                set(CURLOPT_FRESH_CONNECT, 1)
                set(CURLOPT_FORBID_REUSE, 1)
                return
            }
        case .priorKnowledge, .overTLS:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            if !isSecure { return }
        case .never:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            return
        }
        // Has an exchange wait for the connection of another, to share it.
        set(CURLOPT_PIPEWAIT, 1)
    }

    private func setMethod(_ call: NetworkCall) {
        let method = call.method
        if call.body != nil || [.post, .put, .patch].contains(method) {
            // Without a body, these methods send `Content-Length: 0` (RFC 9110 section 8.6).
            set(CURLOPT_UPLOAD, 1)
            let length = call.body.map { $0.length } ?? 0
            set(CURLOPT_INFILESIZE_LARGE, bytes: length ?? -1)
            set(CURLOPT_UPLOAD_BUFFERSIZE, length ?? .max > 1 << 20 ? 256 << 10 : 64 << 10)
            if method != .put { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
        } else if method == .head {
            set(CURLOPT_NOBODY, 1)
        } else if method != .get {
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
    }

    /// Sets the header lines as libcurl reads them. A name and a colon alone suppress a line of libcurl.
    private func setHeaderLines(of call: NetworkCall) {
        var lines = LineList()
        for field in call.headers.fieldsWithOneCookie {
            if field.value.utf8.allSatisfy({ $0 == 32 || $0 == 9 }) {
                lines.append(field.name, ";")
            } else {
                lines.append(field.name, ": ", field.value, isLatin1: field.isLatin1)
            }
        }
        if !call.headers.contains("Accept") { lines.append("Accept", ":") }
        if !call.headers.contains("Accept-Encoding") { lines.append("Accept-Encoding", ": ", BodyDecoder.accepted) }
        // libcurl would wait up to a second for a 100 response.
        if call.body != nil, !call.headers.contains("Expect") { lines.append("Expect", ":") }
        require("headers", set(CURLOPT_HTTPHEADER, lines))
    }
}

extension HTTPHeaders {
    /// The fields, with all cookies in one of them (RFC 6265 section 5.4).
    var fieldsWithOneCookie: [Field] {
        let cookies = values(for: "Cookie")
        if cookies.count < 2 { return Array(self) }
        return filter { $0.name.lowercased() != "cookie" }
            + [Field(name: "Cookie", value: cookies.joined(separator: "; "))]
    }
}
