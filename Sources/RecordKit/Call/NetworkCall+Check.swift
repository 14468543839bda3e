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

extension NetworkCall {
    /// Returns the response, if a 2xx with a body has the type that the options expect. One that names no type may be
    /// anything (RFC 9110 section 8.3).
    func checkingType(of response: NetworkResponse) -> NetworkCall.Outcome {
        // Most calls expect anything, and reading media types costs more than the rest of the way through.
        guard let expected = options.expectedType, expected != "*/*", response.isSuccess,
            !response.body.isEmpty || response.stream != nil, let range = MediaType(expected),
            let received = response.mediaType, !received.isIn(range)
        else { return .success(response) }
        var response = response
        // An error keeps no transfer alive.
        if response.stream != nil { response.body = Data() }
        let cause = NetworkResponse.Unreadable.unexpectedType(received, expected: expected)
        return .failure(.decoding(NetworkError.DecodingFailure(type: expected, response: response, cause: cause)))
    }
}

extension HTTPMethod {
    /// Refuses what would change the shape of the request.
    func check() throws(NetworkError.InvalidRequest) {
        if !ByteSet.isToken(rawValue) {
            throw NetworkError.InvalidRequest(
                member: .method, reason: "\(ByteSet.quotedToken(rawValue)) is no method (RFC 9110 section 9.1)")
        }
    }
}

extension HTTPHeaders {
    /// Refuses what would change the shape of the request, and what the transport alone may say.
    func check() throws(NetworkError.InvalidRequest) {
        try checkForm()
        for field in fields where field.use == .ofTransport { throw Self.isOfTransport(field) }
    }

    /// Refuses what would change the shape of the request, or tell its length otherwise than it is: the server then
    /// waits for what never comes, or takes the rest of the body for another request.
    func checkForm() throws(NetworkError.InvalidRequest) {
        for field in fields {
            switch field.use {
            case .free, .ofTransport: break
            case .ofFraming: throw Self.isOfTransport(field)
            case .badName:
                let name = ByteSet.quotedToken(field.name)
                throw NetworkError.InvalidRequest(
                    member: .headers, reason: "\(name) is no header name (RFC 9110 section 5.1)")
            case .badValue:
                throw NetworkError.InvalidRequest(
                    member: .headers,
                    reason: "the value of \(field.name) holds a line break or another control character "
                        + "(RFC 9110 section 5.5)")
            }
        }
    }

    /// How many bytes the field lines take in a request's head, each with a colon, a space and a line break.
    var lineBytes: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    private static func isOfTransport(_ field: Field) -> NetworkError.InvalidRequest {
        NetworkError.InvalidRequest(member: .headers, reason: "\(field.name) is set by the transport; leave it out")
    }
}

extension RequestOptions {
    func check() throws(NetworkError.InvalidRequest) {
        try Self.check(timeout, "timeout")
        try Self.check(deadline, "deadline")
        if let sizeLimit, sizeLimit < 0 {
            throw NetworkError.InvalidRequest(
                member: .options, reason: "the size limit is \(sizeLimit); it cannot be less than zero")
        }
        // The default is looked at by every call.
        if let expectedType, expectedType != "*/*", !MediaType.isValid(expectedType) {
            throw NetworkError.InvalidRequest(
                member: .options,
                reason: "the expected type \"\(expectedType)\" is no media type (RFC 9110 section 8.3.1)")
        }
    }

    private static func check(_ duration: Duration?, _ name: StaticString) throws(NetworkError.InvalidRequest) {
        guard let duration, duration <= .zero else { return }
        throw NetworkError.InvalidRequest(
            member: .options, reason: "the \(name) is \(duration); it has to be more than zero")
    }
}
