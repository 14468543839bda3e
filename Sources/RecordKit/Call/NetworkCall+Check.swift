import Foundation

extension NetworkCall {
    /// The call, its scheme in lower case, and its body with its type.
    ///
    /// - Throws: where an interceptor made of it what URLSession would trap or hang on, or send as something else.
    func checked() throws(NetworkError) -> NetworkCall {
        if body != nil, method.isWithoutBody {
            throw invalid(.body, "a \(method) has no body (RFC 9110 section 9.3)")
        }
        do throws(NetworkError.InvalidRequest) {
            try method.check()
            try headers.checkForm()
        } catch {
            throw .invalidRequest(error.named(name))
        }
        var call = self
        if let body, !headers.contains("Content-Type") {
            // Otherwise Linux's URLSession says that it is a form.
            call.headers["Content-Type"] = body.contentType
        }
        let text = url.absoluteString
        let (addressBytes, fieldBytes) = (text.utf8.count, headers.lineBytes)
        if addressBytes + fieldBytes > Self.longestHead { throw tooLong(addressBytes, fieldBytes) }
        if !text.hasPrefix("http://"), !text.hasPrefix("https://") { call.url = try urlInSmallLetters() }
        return call
    }

    /// 1 MiB, which is what libcurl sends at most, less what it adds by itself.
    private static let longestHead = 1 << 20 - 1 << 10

    /// The error of a head that libcurl would not send, and report as an invalid response.
    private func tooLong(_ addressBytes: Int, _ fieldBytes: Int) -> NetworkError {
        let limit = "the URL and the header fields may take 1 MiB in all"
        if fieldBytes > addressBytes {
            return invalid(.headers, "the header fields take \(fieldBytes) bytes; \(limit)")
        }
        let isQuery = (url.query(percentEncoded: true)?.utf8.count ?? 0) > addressBytes / 2
        return invalid(isQuery ? .query : .path, "the URL takes \(addressBytes) bytes; \(limit)")
    }

    /// The address with its scheme in lower case.
    private func urlInSmallLetters() throws(NetworkError) -> URL {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else {
            throw invalid(.baseURL, "the scheme of \(url.redacted(headers.sensitiveNames)) is neither http nor https")
        }
        parts.scheme = scheme
        return parts.url ?? url
    }
}
