import Foundation

extension NetworkRequest {
    /// Returns the call of this request as a session with a configuration makes it, but for the default header fields.
    /// It has no side effects.
    ///
    /// - Parameter configuration: The configuration. The header fields and options of the request take precedence over
    ///   its own. A relative ``baseURL`` requires its environment.
    /// - Returns: The call, ready to be sent.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` with the invalid member.
    public func call(in configuration: NetworkConfiguration) throws(NetworkError) -> NetworkCall {
        let call = try call(in: configuration, headers: configuration.markedHeaders)
        try call.checkOptions()
        return call
    }

    /// Returns the call of this request, whose options haven't been checked.
    ///
    /// - Parameter inherited: The header fields of the configuration, marked as sensitive, and the defaults.
    func call(in configuration: NetworkConfiguration, headers inherited: HTTPHeaders) throws(NetworkError)
        -> NetworkCall
    {
        do {
            return try makeCall(configuration, inherited)
        } catch {
            throw .invalidRequest(error.named(CaseName.of(self)))
        }
    }

    private func makeCall(
        _ configuration: NetworkConfiguration, _ inherited: HTTPHeaders
    ) throws(NetworkError.InvalidRequest) -> NetworkCall {
        let (method, query): (HTTPMethod, RequestQuery) = (method, query)
        let url = try Self.url(baseURL, path, query, in: configuration.environment)
        let options = self.options.filled(from: configuration.options)
        var all = inherited
        if !all.contains("Accept") { all.add("Accept", accept(options, configuration.decoder)) }
        let own: HTTPHeaders = headers
        all.merge(own)
        if !query.sensitiveNames.isEmpty { all.markSensitive(query.sensitiveNames) }
        let content: (any NetworkEncodable)? = body
        try method.check(hasBody: content != nil)
        try all.check()

        let body = try content.map { (content) throws(NetworkError.InvalidRequest) in
            try encoded(content, with: encoder ?? configuration.encoder ?? JSONEncoder())
        }
        if let body, !own.contains("Content-Type") {
            guard ByteSet.fieldValue.containsAll(of: body.contentType) else {
                throw .invalid(.body, "its content type contains a line break or another control character")
            }
            all["Content-Type"] = body.contentType
        }
        if let body, !body.sensitiveNames.isEmpty { all.markSensitive(body.sensitiveNames) }
        return NetworkCall(
            url: url, method: method, headers: all, body: body, options: options, request: self,
            clock: configuration.clock, observers: configuration.observers)
    }

    private func accept(_ options: RequestOptions, _ inherited: (any NetworkDecoder)?) -> String {
        // The call fails with an invalid one, once its options are complete.
        let expected = options.expectedType.flatMap { $0 == "*/*" || !MediaType.isValid($0) ? nil : $0 }
        let type =
            expected ?? (ValueType.self as? any NetworkValue.Type)?.contentType ?? (decoder ?? inherited)?.contentType
            ?? "application/json"
        switch type {
        case "*/*": return type
        // A literal needs no allocation.
        case "application/json": return "application/json, */*;q=0.5"
        default: return "\(type), */*;q=0.5"
        }
    }

    private static func url(
        _ base: String, _ path: RequestPath, _ query: RequestQuery, in environment: NetworkEnvironment?
    ) throws(NetworkError.InvalidRequest) -> URL {
        let isAbsolute = BaseURL.isAbsolute(base)
        var text = ""
        // The query of an absolute base URL, such as a link from a server.
        var given = ""
        if isAbsolute {
            (text, given) = path.encoded.isEmpty ? parts(of: base) : (base, "")
            if let reason = BaseURL.invalidReason(text) {
                throw .invalid(.baseURL, reason)
            }
        } else {
            text = try join(base, in: environment)
        }
        if let reason = path.invalidReason { throw .invalid(.path, reason) }
        text = BaseURL.join(text, path.encoded)
        if let error = query.error {
            throw .invalid(.query, "it could not be encoded: \(CodingReason.of(error))", cause: error)
        }
        text += given
        if !query.items.isEmpty {
            if given != "?" { text += given.isEmpty ? "?" : "&" }
            text += query.encoded
        }
        guard let url = URL(string: text) else {
            throw .invalid(
                isAbsolute ? .baseURL : .environment, "it does not result in a valid URL; check the host")
        }
        return url
    }

    /// Splits a URL into the part before its query, and the query with its question mark. Drops the fragment, which
    /// isn't sent (RFC 9110 section 7.1).
    private static func parts(of address: String) -> (base: String, query: String) {
        guard let end = address.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return (address, "") }
        let query = address[end...].prefix { $0 != "#" }
        return (String(address[..<end]), PercentEncoding.encoded(keepingEscapes: query, allowed: .query))
    }

    private static func join(
        _ base: String, in environment: NetworkEnvironment?
    ) throws(NetworkError.InvalidRequest) -> String {
        guard let environment else {
            throw .invalid(
                .baseURL,
                "\(BaseURL.quoted(base)) is relative; use an absolute URL, or set `environment` of the "
                    + "NetworkConfiguration")
        }
        if let reason = environment.invalidReason {
            throw .invalid(.environment, reason)
        }
        if base.isEmpty { return environment.baseURL }
        if let reason = BaseURL.invalidReason(ofPath: base[...]) {
            throw .invalid(.baseURL, "\(BaseURL.quoted(base)): \(reason)")
        }
        return BaseURL.join(environment.baseURL, base)
    }

    private func encoded(
        _ body: any NetworkEncodable, with encoder: any NetworkEncoder
    ) throws(NetworkError.InvalidRequest) -> EncodedBody {
        do {
            return try body.encoded(using: encoder)
        } catch let error as NetworkError.InvalidRequest {
            throw error
        } catch {
            throw .invalid(.body, "it could not be encoded: \(CodingReason.of(error))", cause: error)
        }
    }
}
