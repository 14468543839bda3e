import Foundation

extension NetworkCall {
    /// The call, its scheme in lower case, and its body with its type.
    ///
    /// - Throws: where an interceptor made of it what URLSession would trap or hang on, or send as something else.
    package func checked() throws(NetworkError) -> NetworkCall {
        if body != nil, method.isWithoutBody {
            throw invalid(.body, "a \(method) has no body (RFC 9110 section 9.3)")
        }
        do throws(InvalidRequest) {
            try method.check()
            try headers.checkForm()
        } catch {
            throw .invalidRequest(error.named(name))
        }
        var call = self
        if let body, !headers.contains("Content-Type") {
            // Otherwise Linux's URLSession says that it is a form.
            call.headers["Content-Type"] = body.sentType
        }
        let text = url.absoluteString
        if !text.hasPrefix("http://"), !text.hasPrefix("https://") { call.url = try urlInSmallLetters() }
        return call
    }

    /// The address with its scheme in lower case.
    @inline(never)
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
