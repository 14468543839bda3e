import Foundation
public import RecordKit

/// A pattern of the requests that a stub responds to.
///
/// ```swift
/// let patterns: [StubPattern] = [
///     "GET /records/*",  // any record
///     "/records?format=LP",  // any method, and this query item
///     "GET https://api.store.example/v1/**",  // anything below, at this host
///     StubPattern(.post, "/records", headers: ["If-None-Match": "*"]) {
///         try $0.value(as: Record.self).quantity > 0
///     },
/// ]
/// ```
///
/// The path is that of the whole URL, including a slash at its end. In the path, `*` matches any characters within a
/// segment, and `**` any number of segments. In the value of a query item or header field, `*` matches any characters.
/// Requests may contain other query items and header fields, too.
public struct StubPattern: Sendable {
    var method: HTTPMethod?
    /// The scheme, host and port.
    var origin: String?
    var path: String
    var query: [RequestQuery.Item] = []
    var headers: HTTPHeaders
    /// Returns how a body differs, or `nil` if it matches.
    var bodyDifference: (@Sendable (StubRequest) -> StubDifference?)?
    /// Whether path and query must be equal, without wildcards.
    var isExact = false
    var name: String

    /// Creates a pattern.
    ///
    /// - Parameters:
    ///   - method: The method. Default: `nil`, any method.
    ///   - address: A path or a URL, with or without a query.
    ///   - query: Query items that the request must contain. Default: none.
    ///   - headers: Header fields that the request must contain. Default: none.
    ///   - body: Returns whether a body matches. If it throws, the body doesn't match. Default: `nil`, any body.
    public init(
        _ method: HTTPMethod? = nil, _ address: String, query: RequestQuery = [:], headers: HTTPHeaders = [:],
        body: (@Sendable (StubRequest) throws -> Bool)? = nil
    ) {
        self.method = method
        self.headers = headers
        let question = address.firstIndex(of: "?") ?? address.endIndex
        var place = address[..<question]
        self.query = RequestQuery(parsing: String(address[question...].dropFirst())).items + query.items
        if !place.hasPrefix("/"), let scheme = place.range(of: "://") {
            let end = place[scheme.upperBound...].firstIndex(of: "/") ?? place.endIndex
            origin = URL(string: String(place[..<end])).map { URLOrigin($0).description } ?? String(place[..<end])
            place = place[end...]
        }
        path = String(place)
        name = [method?.rawValue, address].compactMap(\.self).joined(separator: " ")
        if let body {
            bodyDifference = { request in
                let condition = "one that meets the stub's condition"
                do {
                    if try body(request) { return nil }
                    return StubDifference(part: .body(place: ""), expected: condition, received: "another")
                } catch {
                    return StubDifference(part: .body(place: ""), expected: condition, received: "unfit (\(error))")
                }
            }
        }
    }

}

extension StubPattern: ExpressibleByStringInterpolation {
    /// Creates a pattern from a string.
    ///
    /// - Parameter text: An optional method and a space, then a path or a URL.
    public init(stringLiteral text: String) {
        if let space = text.firstIndex(of: " "), !text[..<space].contains("/") {
            let method = HTTPMethod(rawValue: String(text[..<space]))
            self.init(method, String(text[text.index(after: space)...]))
        } else {
            self.init(nil, text)
        }
    }
}

extension StubPattern: CustomStringConvertible {
    /// The pattern as it was written.
    public var description: String { name }
}

extension StubPattern {
    /// Creates a pattern of exactly one request: the same method, URL and body, and at least the header fields that it
    /// sets itself.
    ///
    /// JSON and form bodies are compared by their meaning. Multipart bodies, files and streams aren't compared.
    ///
    /// - Throws: `NetworkError.invalidRequest(_:)`.
    init(_ request: some NetworkRequest, in configuration: NetworkConfiguration) throws(NetworkError) {
        let call = try request.call(in: configuration)
        self.init(exactly: call.method, call.url, body: BodyComparison.difference(from: call))
        headers = request.headers
        name = "\(call.name) (\(call.method) \(path))"
    }

    /// Creates a pattern without wildcards.
    init(
        exactly method: HTTPMethod, _ url: URL, body difference: (@Sendable (StubRequest) -> StubDifference?)?
    ) {
        self.init(method, "")
        isExact = true
        origin = URLOrigin(url).description
        path = url.path(percentEncoded: true)
        query = url.queryItems
        bodyDifference = difference
    }
}

extension StubPattern {
    /// Returns how a request differs from this pattern. Empty if it matches.
    func differences(to request: StubRequest) -> [StubDifference] {
        var found: [StubDifference] = []
        if let method, method != request.method {
            found.append(StubDifference(part: .method, expected: "\(method)", received: "\(request.method)"))
        }
        let origin = URLOrigin(request.url).description
        if let expected = self.origin, expected != origin {
            found.append(StubDifference(part: .origin, expected: expected, received: origin))
        }
        let path = request.url.path(percentEncoded: true)
        if !(isExact ? PathPattern.isSame(self.path, path) : PathPattern(self.path).matches(path)) {
            found.append(StubDifference(part: .path, expected: self.path, received: path))
        }
        found += queryDifferences(to: request)
        found += headerDifferences(to: request)
        // The body of a different request may not make sense.
        if found.allSatisfy(\.part.isDetail), let difference = bodyDifference?(request) { found.append(difference) }
        return found
    }

    /// Returns the first of the patterns that are nearest to a request, and how the request differs from it.
    static func nearest(
        of patterns: [StubPattern], to request: StubRequest
    ) -> (name: String, differences: [StubDifference])? {
        let path = request.url.path(percentEncoded: true)
        return patterns.map { pattern in
            let differences = pattern.differences(to: request)
            let pathDistance = PathPattern(pattern.path).distance(to: path)
            return (pattern.name, differences, distance: differences.reduce(0) { $0 + $1.weight(pathDistance) })
        }
        .min { $0.distance < $1.distance }.map { ($0.0, $0.1) }
    }

    private func queryDifferences(to request: StubRequest) -> [StubDifference] {
        let received = request.query
        var names = query.map(\.name)
        if isExact { names += received.map(\.name) }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.compactMap { name in
            let expected = query.filter { $0.name == name }.map(\.value)
            let values = received.filter { $0.name == name }.map(\.value)
            let fits =
                isExact
                ? expected.hasSameBytes(as: values)
                : expected.allSatisfy { pattern in values.contains { Wildcard.matches(pattern, $0) } }
            if fits { return nil }
            return StubDifference(
                .queryItem(name), expected: expected, received: values, isSensitive: request.headers.isSensitive(name))
        }
    }

    private func headerDifferences(to request: StubRequest) -> [StubDifference] {
        var seen: Set<String> = []
        return headers.map(\.name).filter { seen.insert($0.lowercased()).inserted }.compactMap { name in
            guard let expected = headers[name] else { return nil }
            let received = request.headers[name]
            let fits = received.map { isExact ? expected == $0 : Wildcard.matches(expected, $0) } ?? false
            if fits { return nil }
            let isSensitive = [expected, received].compactMap(\.self).contains { value in
                var headers: HTTPHeaders = [name: value]
                headers.markSensitive(request.headers.sensitiveNames)
                return headers.redacted()[name] != value
            }
            return StubDifference(
                .header(name), expected: [expected], received: received.map { [$0] } ?? [], isSensitive: isSensitive)
        }
    }
}
