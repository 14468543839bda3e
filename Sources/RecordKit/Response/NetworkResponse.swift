public import Foundation

/// The response of a server, whatever its status.
public struct NetworkResponse: Sendable {
    /// The three digits of the status line (RFC 9110 section 15).
    public var statusCode: Int
    /// The header fields. URLSession joins several lines of one name with `", "`.
    public var headers: HTTPHeaders
    /// The body, decoded from its `Content-Encoding`.
    public var content: Content
    /// Where the response came from: after redirects, the last address.
    public var url: URL
    /// The redirects that were followed to get this response, in order.
    public var redirects: [Redirect]

    /// How a body arrives.
    public enum Content: Sendable {
        /// The whole body.
        case data(Data)
        /// The body as it arrives.
        case stream(NetworkBytes)
    }

    /// A redirect that was followed.
    public struct Redirect: Sendable, Hashable {
        /// The status of the redirect.
        public let statusCode: Int
        /// The method of the request that it answered.
        public let method: HTTPMethod
        /// The address of the request that it answered.
        public let url: URL

        /// Creates a redirect that was followed.
        public init(statusCode: Int, method: HTTPMethod, url: URL) {
            self.statusCode = statusCode
            self.method = method
            self.url = url
        }
    }

    public init(
        statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), content: Content, url: URL, redirects: [Redirect] = []
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.content = content
        self.url = url
        self.redirects = redirects
    }

    public init(statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), url: URL) {
        self.init(statusCode: statusCode, headers: headers, content: .data(body), url: url)
    }

    /// The whole body; empty while ``content`` is a stream. Setting it replaces ``content``.
    public var body: Data {
        get { if case .data(let data) = content { data } else { Data() } }
        set { content = .data(newValue) }
    }

    /// The body as it arrives, if ``content`` is a stream.
    public var stream: NetworkBytes? {
        if case .stream(let bytes) = content { bytes } else { nil }
    }

    /// Whether the status is a 2xx.
    public var isSuccess: Bool { statusCode >= 200 && statusCode < 300 }

    /// The `Content-Type`, if there is one that can be read.
    public var mediaType: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }
}

extension NetworkResponse: SelfDescribing {
    /// One line, without the body: `404, 312 bytes of text/html, from https://store.example/v1/records/7`.
    var text: String {
        let type = mediaType.map { " of \($0.essence)" } ?? ""
        return "\(statusCode), \(size)\(type), from \(url.redacted(headers.sensitiveNames))"
    }

    var shown: [(name: String, value: Any)] {
        [
            ("statusCode", statusCode), ("headers", headers), ("body", size),
            ("url", url.redacted(headers.sensitiveNames)),
        ]
    }

    private var size: String { stream == nil ? "\(body.count) bytes" : "a stream" }
}
