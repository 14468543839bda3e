public import Foundation
public import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request that a stub received, from a manager or a URLSession.
public struct StubRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The URL.
    public let url: URL
    /// The header fields.
    public let headers: HTTPHeaders
    /// The complete body, even if it was sent from a file or a stream. Empty without a body.
    public let body: Data
    /// The request value, or `nil` if the request came from a URLSession.
    public let request: (any Sendable)?

    /// The items of the query, percent-decoded, in order.
    public var query: [RequestQuery.Item] { url.queryItems }

    /// The body as UTF-8. Invalid bytes are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The fields of a form in the body (`application/x-www-form-urlencoded`), decoded, in order.
    public var form: [RequestQuery.Item] { RequestQuery(parsing: text).items }

    /// Decodes the body.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. Default: a `JSONDecoder`.
    /// - Throws: The error of the decoder.
    public func value<Value: Decodable>(
        as type: Value.Type = Value.self, using decoder: any NetworkDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body)
    }

    var mediaType: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }
}

extension StubRequest {
    init(_ call: NetworkCall) async throws(NetworkError) {
        self.init(
            method: call.method, url: call.url, headers: call.headers, body: try await call.body?.data() ?? Data(),
            request: call.request)
    }

    init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url,
            headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]), body: request.httpBody ?? Data(), request: nil)
    }
}

extension URL {
    /// The items of the query, decoded, in order.
    var queryItems: [RequestQuery.Item] { RequestQuery(parsing: query(percentEncoded: true) ?? "").items }
}

extension StubRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, sensitive values redacted.
    public var description: String {
        "\(method) \(url.redacted(headers.sensitiveNames))"
    }

    /// A mirror without the body, and with sensitive header fields redacted. `dump` and the `#expect` of Swift Testing
    /// use it.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "method": method, "url": url.redacted(headers.sensitiveNames), "headers": headers,
            "body": "\(body.count) bytes",
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
