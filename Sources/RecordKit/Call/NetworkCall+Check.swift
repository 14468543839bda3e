import Foundation

extension NetworkCall {
    /// Returns the call in the form that is sent: with a lowercase scheme, and with the content type of its body.
    ///
    /// Interceptors may have changed the call since it was built. URLSession traps on some invalid calls, waits forever
    /// on others, or sends something else.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the call can't be sent.
    func checked() throws(NetworkError) -> NetworkCall {
        var call = self
        if let body, !headers.contains("Content-Type") {
            // Linux's URLSession (Swift 6.3.1) adds `application/x-www-form-urlencoded` to a body without a type.
            call.headers["Content-Type"] = body.contentType
        }
        do throws(NetworkError.InvalidRequest) {
            try method.check(hasBody: body != nil)
            try call.headers.check(isChangedByInterceptors: true)
            try options.check()
        } catch {
            throw .invalidRequest(error.named(name))
        }
        let text = url.absoluteString
        let (addressBytes, fieldBytes) = (text.utf8.count, headers.lineBytes)
        if addressBytes + fieldBytes > Self.longestHead { throw tooLong(addressBytes, fieldBytes) }
        if !text.hasPrefix("http://"), !text.hasPrefix("https://") { call.url = try urlWithSchemeInLowercase() }
        return call
    }

    /// Checks the options, which the function that configures a call may have changed.
    func checkOptions() throws(NetworkError) {
        do throws(NetworkError.InvalidRequest) {
            try options.check()
        } catch {
            throw .invalidRequest(error.named(name))
        }
    }

    /// The longest head that libcurl sends, 1 MiB, less 1 KiB for the fields that libcurl adds.
    private static let longestHead = 1 << 20 - 1 << 10

    /// Returns the error for a head that libcurl doesn't send. URLSession would report it as an invalid response.
    private func tooLong(_ addressBytes: Int, _ fieldBytes: Int) -> NetworkError {
        let limit = "the URL and the header fields may take 1 MiB in all"
        if fieldBytes > addressBytes {
            return invalid(.headers, "the header fields take \(fieldBytes) bytes; \(limit)")
        }
        let isQuery = (url.query(percentEncoded: true)?.utf8.count ?? 0) > addressBytes / 2
        return invalid(isQuery ? .query : .path, "the URL takes \(addressBytes) bytes; \(limit)")
    }

    /// Returns the URL with a lowercase scheme.
    private func urlWithSchemeInLowercase() throws(NetworkError) -> URL {
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
    /// Returns the response, or a failure if a proxy refused the call (RFC 9110 section 15.5.8).
    ///
    /// Only proxies respond with 407, so a server that does is taken for one.
    func checkingProxy(_ response: NetworkResponse) -> NetworkCall.Outcome {
        if response.statusCode != 407 { return .success(response) }
        return .failure(
            .connection(
                NetworkError.ConnectionFailure(
                    kind: .proxyRefused(status: 407), host: origin.hostAndPort, mayHaveReachedServer: false)))
    }

    /// Returns the response, or a failure if its content type isn't the expected one.
    ///
    /// Checks only a 2xx response with a body. A response without a content type may contain anything (RFC 9110 section
    /// 8.3).
    func checkingType(of response: NetworkResponse) -> NetworkCall.Outcome {
        // Most calls accept any type, and parsing media types costs more than everything else in this path.
        guard let expected = options.expectedType, expected != "*/*", response.isSuccess,
            !response.body.isEmpty || response.stream != nil, let range = MediaType(expected),
            let received = response.mediaType, !received.isIn(range)
        else { return .success(response) }
        var response = response
        // Releases the stream, so that the error doesn't keep the transfer alive. It still says that there was one.
        if response.stream != nil { response.content = .stream(NetworkBytes(Data())) }
        let cause = NetworkResponse.ReadingError.unexpectedType(received, expected: expected)
        return .failure(.decoding(NetworkError.DecodingFailure(type: expected, response: response, cause: cause)))
    }
}

extension HTTPMethod {
    /// Checks that the method is a token, and that it can have a body if there is one.
    ///
    /// Anything but a token could change the structure of the request.
    func check(hasBody: Bool) throws(NetworkError.InvalidRequest) {
        if !ByteSet.isToken(rawValue) {
            throw .invalid(.method, "\(ByteSet.quotedToken(rawValue)) is not a valid method (RFC 9110 section 9.1)")
        }
        if hasBody, isWithoutBody {
            throw .invalid(.body, "a \(self) has no body (RFC 9110 section 9.3); use `query`, or another method")
        }
    }
}

extension HTTPHeaders {
    /// Checks that no field changes the structure of the request or the length of its body.
    ///
    /// With a wrong length, the server waits for missing bytes, or reads the rest of the body as another request.
    ///
    /// - Parameter isChangedByInterceptors: Whether the fields are those that are sent. Only an interceptor may set
    ///   `Host` and `Connection`, so a call that is made must not have them.
    func check(isChangedByInterceptors: Bool = false) throws(NetworkError.InvalidRequest) {
        for field in fields {
            switch field.use {
            case .free: break
            case .ofTransport where isChangedByInterceptors: break
            case .ofTransport, .ofFraming:
                throw .invalid(.headers, "\(field.name) is set by the transport; remove it")
            case .badName:
                let name = ByteSet.quotedToken(field.name)
                throw .invalid(.headers, "\(name) is not a valid header name (RFC 9110 section 5.1)")
            case .badValue:
                throw .invalid(
                    .headers,
                    "the value of \(field.name) contains a line break or another control character (RFC 9110 section "
                        + "5.5)")
            }
        }
    }

    /// The length of the field lines in the head of a request, in bytes. Each line has a colon, a space and a line
    /// break.
    var lineBytes: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}

extension RequestOptions {
    /// Checks the durations, the size limit and the expected type.
    func check() throws(NetworkError.InvalidRequest) {
        try Self.check(timeout, "timeout")
        try Self.check(deadline, "deadline")
        if let sizeLimit, sizeLimit < 0 {
            throw .invalid(.options, "the size limit is \(sizeLimit); it must not be negative")
        }
        // The default, `*/*`, is always valid. Every call would check it.
        if let expectedType, expectedType != "*/*", !MediaType.isValid(expectedType) {
            throw .invalid(
                .options, "the expected type \"\(expectedType)\" is not a media type (RFC 9110 section 8.3.1)")
        }
    }

    private static func check(_ duration: Duration?, _ name: StaticString) throws(NetworkError.InvalidRequest) {
        guard let duration, duration <= .zero else { return }
        throw .invalid(.options, "the \(name) is \(duration); it must be greater than zero")
    }
}
