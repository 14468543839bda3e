public import Foundation

/// What a server answered, whatever the status.
public struct NetworkResponse: Sendable {
    /// The three digits of the status line (RFC 9110 section 15).
    public var statusCode: Int
    /// The header fields. URLSession hands over several lines of one name joined with `", "`.
    public var headers: HTTPHeaders {
        get {
            switch heldHeaders {
            case .made(let headers): headers
            case .deferred(let headers): headers.value
            }
        }
        set { heldHeaders = .made(newValue) }
    }
    /// The body, decoded from its `Content-Encoding`. Empty while ``stream`` is set.
    public var body: Data
    /// Where the answer came from: after redirects, the last address.
    public var url: URL
    /// The body as it arrives, only when a streamed call met a 2xx and its transport can stream.
    public var stream: NetworkBytes?

    private var heldHeaders: HeldHeaders

    private enum HeldHeaders: Sendable {
        case made(HTTPHeaders)
        case deferred(Deferred<HTTPHeaders>)
    }

    public init(
        statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), url: URL,
        stream: NetworkBytes? = nil
    ) {
        self.statusCode = statusCode
        self.body = body
        self.url = url
        self.stream = stream
        heldHeaders = .made(headers)
    }

    /// Most readers look at the status and the body alone, and URLSession's headers are slow to convert.
    init(statusCode: Int, deferredHeaders: Deferred<HTTPHeaders>, body: Data, url: URL) {
        self.init(statusCode: statusCode, body: body, url: url)
        heldHeaders = .deferred(deferredHeaders)
    }

    /// A 2xx.
    public var isSuccess: Bool { statusCode >= 200 && statusCode < 300 }

    /// The `Content-Type`, when there is one that can be read.
    public var mediaType: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }
}

extension NetworkResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line, without the body: `404, 312 bytes of text/html, from https://store.example/v1/records/7`.
    public var description: String {
        let type = mediaType.map { " of \($0.essence)" } ?? ""
        return "\(statusCode), \(body.count) bytes\(type), from \(url.redacted(headers.secretNames))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "statusCode": statusCode, "headers": headers, "body": body, "url": url.redacted(headers.secretNames),
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
