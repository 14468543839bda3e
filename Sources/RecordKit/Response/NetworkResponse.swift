public import Foundation

/// The response of a server, with any status.
public struct NetworkResponse: Sendable {
    /// The status code (RFC 9110 section 15).
    public var statusCode: Int
    /// The header fields. URLSession joins several field lines of a name with `", "`.
    public var headers: HTTPHeaders
    /// The header fields that the server has sent in this exchange, if ``headers`` contains stored ones. Default:
    /// `nil`, all of them.
    ///
    /// A transport that stores responses sets them, such as after a 304. The session keeps only their cookies: a stored
    /// `Set-Cookie` must not replace a newer cookie.
    public var receivedHeaders: HTTPHeaders?
    /// The body, decoded according to `Content-Encoding`. One with an unknown coding is left as it is.
    public var content: Content
    /// The fields that the server sent after the body (RFC 9110 section 6.5), such as a checksum of it.
    ///
    /// Those of a stream are empty until its whole body was read. URLSession shows none.
    public var trailers: HTTPHeaders {
        get { stream?.trailers ?? collectedTrailers }
        set { collectedTrailers = newValue }
    }
    /// The trailers of a body that is data.
    private var collectedTrailers = HTTPHeaders()
    /// The URL of the response, which is the last one after redirects.
    public var url: URL
    /// The URLs that redirected the call, in order.
    public var redirects: [URL] = []
    /// The decoder of the session that received the response. `nil`, the default, is a `JSONDecoder`.
    ///
    /// ``value(as:using:)`` takes it where no other decoder is passed. So an error body that is read later, such as in
    /// a `catch`, is read as the app's other responses are.
    public var decoder: (any NetworkDecoder & Sendable)?
    /// What an interceptor adds about the status, as part of a sentence, such as why no credential was sent. The error
    /// of the status says it. Default: `nil`.
    public var explanation: String?

    /// The content of a response: data or a stream. There will be no other cases.
    public enum Content: Sendable {
        /// The whole body.
        case data(Data)
        /// The body as a stream, which is read as it arrives.
        case stream(NetworkBytes)
    }

    /// Creates a response with data or a stream.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - headers: The header fields.
    ///   - content: The body.
    ///   - url: The URL of the response.
    public init(statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), content: Content, url: URL) {
        self.statusCode = statusCode
        self.headers = headers
        self.content = content
        self.url = url
    }

    /// Creates a response with data.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - url: The URL of the response.
    public init(statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), url: URL) {
        self.init(statusCode: statusCode, headers: headers, content: .data(body), url: url)
    }

    /// The whole body. It is empty if ``content`` is a stream. Setting it replaces ``content``.
    public var body: Data {
        get { if case .data(let data) = content { data } else { Data() } }
        set { content = .data(newValue) }
    }

    /// The body as a stream, or `nil` if ``content`` is data.
    public var stream: NetworkBytes? {
        if case .stream(let bytes) = content { bytes } else { nil }
    }

    /// Adds sensitive names to the header fields and to the trailers.
    mutating func markSensitive(_ names: Set<String>) {
        if names.isEmpty { return }
        headers.markSensitive(names)
        collectedTrailers.markSensitive(names)
        stream?.buffer.markSensitive(names)
    }

    /// Whether the status is 2xx.
    public var isSuccess: Bool { statusCode >= 200 && statusCode < 300 }

    /// Whether the connection has switched to another protocol (RFC 9110 section 7.8).
    var isUpgrade: Bool { statusCode == 101 }

    /// The media type in `Content-Type`, or `nil` if it is missing or not valid.
    public var mediaType: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }
}

extension NetworkResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A line without the body, such as `404, 312 bytes of text/html, from https://store.example/v1/records/7`.
    ///
    /// The URL is redacted.
    public var description: String {
        let type = mediaType.map { " of \($0.essence)" } ?? ""
        return "\(statusCode), \(size)\(type), from \(url.redacted(headers.sensitiveNames))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The members with sensitive values redacted. The body is shown as its size.
    public var customMirror: Mirror {
        var members: [(String?, Any)] = [
            ("statusCode", statusCode), ("headers", headers), ("body", size),
            ("url", url.redacted(headers.sensitiveNames)),
        ]
        if !trailers.fields.isEmpty { members.append(("trailers", trailers)) }
        return Mirror(self, children: members, displayStyle: .struct)
    }

    @available(*, unavailable, message: "write `bodyString`, which throws if the charset doesn't fit")
    public var text: String { description }

    /// The size of the body, or that it is a stream.
    private var size: String { stream == nil ? "\(body.count) bytes" : "a stream" }
}
