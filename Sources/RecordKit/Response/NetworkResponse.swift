public import Foundation
import Synchronization

/// What a server answered, whatever the status.
public struct NetworkResponse: Sendable {
    /// The three digits of the status line (RFC 9110 section 15).
    public var statusCode: Int {
        get { storage.fields.statusCode }
        set { change { $0.statusCode = newValue } }
    }
    /// The header fields. URLSession hands over several lines of one name joined with `", "`.
    public var headers: HTTPHeaders {
        get { storage.headers }
        set { change { $0.headers = .made(newValue) } }
    }
    /// The body, decoded from its `Content-Encoding`. Empty while ``stream`` is set.
    public var body: Data {
        get { storage.fields.body }
        set { change { $0.body = newValue } }
    }
    /// Where the answer came from: after redirects, the last address.
    public var url: URL {
        get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// The body as it arrives, only when a streamed call met a 2xx and its transport can stream.
    public var stream: NetworkBytes? {
        get { storage.fields.stream }
        set { change { $0.stream = newValue } }
    }

    /// The redirects that were followed to get this response, in order.
    public var redirects: [Redirect] {
        get { storage.fields.redirects }
        set { change { $0.redirects = newValue } }
    }

    /// A redirect that was followed.
    public struct Redirect: Sendable, Hashable {
        /// The status of the redirect.
        public let statusCode: Int
        /// The method of the request that was answered with it.
        public let method: HTTPMethod
        /// The URL of the request that was answered with it.
        public let url: URL

        public init(statusCode: Int, method: HTTPMethod, url: URL) {
            self.statusCode = statusCode
            self.method = method
            self.url = url
        }
    }

    /// By reference: an answer is handed on by every interceptor, and changed by few.
    private var storage: Storage

    private struct Fields: Sendable {
        var statusCode: Int
        var body: Data
        var url: URL
        var stream: NetworkBytes?
        var headers: HeldHeaders
        var redirects: [Redirect] = []
    }

    private enum HeldHeaders: Sendable {
        case made(HTTPHeaders)
        case deferred(@Sendable () -> HTTPHeaders)
    }

    private final class Storage: Sendable {
        let fields: Fields
        private let made = Mutex<HTTPHeaders?>(nil)

        init(_ fields: Fields) {
            self.fields = fields
        }

        var headers: HTTPHeaders {
            switch fields.headers {
            case .made(let headers): headers
            case .deferred(let make):
                made.withLock { made in
                    if let made { return made }
                    let headers = make()
                    made = headers
                    return headers
                }
            }
        }
    }

    public init(
        statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(), url: URL,
        stream: NetworkBytes? = nil
    ) {
        storage = Storage(
            Fields(statusCode: statusCode, body: body, url: url, stream: stream, headers: .made(headers)))
    }

    /// Most readers look at the status and the body alone, and URLSession's headers are slow to convert: they are made
    /// when they are asked for, once for all copies that nobody changes.
    init(statusCode: Int, body: Data, url: URL, headers: @escaping @Sendable () -> HTTPHeaders) {
        storage = Storage(
            Fields(statusCode: statusCode, body: body, url: url, stream: nil, headers: .deferred(headers)))
    }

    /// Marks the sensitive names of the call that this responds to. Headers that are made when they are asked for have
    /// them already.
    package mutating func markSensitive(_ names: Set<String>) {
        guard !names.isEmpty, case .made(var headers) = storage.fields.headers else { return }
        headers.markSensitive(names)
        self.headers = headers
    }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields)
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
        return "\(statusCode), \(body.count) bytes\(type), from \(url.redacted(headers.sensitiveNames))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "statusCode": statusCode, "headers": headers, "body": "\(body.count) bytes",
            "url": url.redacted(headers.sensitiveNames),
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
