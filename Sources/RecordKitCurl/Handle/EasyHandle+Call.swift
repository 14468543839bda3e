import CCurl
import Foundation
import RecordKit

extension EasyHandle {
    /// Sets the request line, the header fields and the framing of the body. Its bytes are read by a function.
    func apply(_ call: NetworkCall, _ options: CurlTransport.Options) {
        let url = call.url.absoluteString
        set(CURLOPT_URL, url)
        setMethod(call)
        set(CURLOPT_HTTPHEADER, Self.lines(of: call))
        // The field of the call, if any, says what is sent. libcurl decodes what arrives.
        set(CURLOPT_ACCEPT_ENCODING, "")
        // Has a second exchange wait for the connection of the first, to share it. That only helps with HTTP/2.
        if options.http2 == .priorKnowledge || options.http2 == .overTLS && url.hasPrefix("https:") {
            set(CURLOPT_PIPEWAIT, 1)
        }
        // The size of a read from the socket. Up to 128 KiB, malloc takes it from memory that is mapped already.
        set(CURLOPT_BUFFERSIZE, call.delivery == .streamed ? 256 << 10 : 64 << 10)
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

    /// Returns the header lines as libcurl reads them. A name and a colon alone suppress a line of libcurl.
    private static func lines(of call: NetworkCall) -> [String] {
        var lines = call.headers.fields.map { field in
            field.value.utf8.allSatisfy { $0 == 32 || $0 == 9 } ? "\(field.name);" : "\(field.name): \(field.value)"
        }
        if !call.headers.contains("Accept") { lines.append("Accept:") }
        // libcurl would wait up to a second for a 100 response.
        if call.body != nil, !call.headers.contains("Expect") { lines.append("Expect:") }
        return lines
    }
}
