import Foundation
public import RecordKit

/// Which requests a stub answers.
///
/// ```swift
/// "GET /records/*"                                  // any record
/// "/records?format=LP"                              // any method, and this query item
/// "GET https://api.store.example/v1/**"             // anything below, at this host
/// StubPattern(.post, "/records", headers: ["If-None-Match": "*"]) { try $0.value(as: Record.self).price > 0 }
/// ```
///
/// The path is that of the whole URL, with the slash at its end when there is one. In it `*` stands for anything within
/// a segment, `**` for any number of segments; in the value of a query item or a header `*` stands for anything. Query
/// items and headers that the pattern does not name may be there as well.
public struct StubPattern: Sendable {
    var method: HTTPMethod?
    /// Scheme, host and port.
    var origin: String?
    var path: String
    var query: [RequestQuery.Item] = []
    var headers: HTTPHeaders
    /// What is wrong with the body; nil when it fits.
    var bodyDifference: (@Sendable (StubRequest) -> StubDifference?)?
    /// Whether all of path and query have to be the same, without wildcards.
    var isExact = false
    var name: String

    /// - Parameters:
    ///   - method: nil for any.
    ///   - address: a path, or a whole URL; it may have a query.
    ///   - query: items that the request has to have.
    ///   - headers: headers that the request has to have.
    ///   - body: tells whether a body fits; one that throws says no.
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
            origin = URL(string: String(place[..<end])).map { Origin($0).description } ?? String(place[..<end])
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
    /// A method, or none for any, a space, and a path or a URL.
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
    public var description: String { name }
}

extension StubPattern {
    /// The one request that this value makes: the same method, URL and body, and at least the headers that it sets
    /// itself.
    ///
    /// JSON and form bodies are compared by what they mean. Multipart bodies, files and streams are not compared.
    ///
    /// - Throws: `NetworkError.invalidRequest`.
    init(_ request: some NetworkRequest, in environment: NetworkEnvironment?) throws(NetworkError) {
        let call = try request.call(in: environment)
        self.init(call.method, "")
        isExact = true
        origin = call.origin.description
        path = call.url.path(percentEncoded: true)
        query = call.url.queryItems
        do throws(NetworkError.InvalidRequest) {
            headers = try request.sentMembers().headers
        } catch {
            throw .invalidRequest(error)
        }
        name = "\(call.name) (\(call.method) \(path))"
        bodyDifference = BodyComparison.difference(from: call)
    }
}

extension StubPattern {
    /// In what a request differs from this pattern; nothing when it fits.
    func differences(to request: StubRequest) -> [StubDifference] {
        var found: [StubDifference] = []
        if let method, method != request.method {
            found.append(StubDifference(part: .method, expected: "\(method)", received: "\(request.method)"))
        }
        let origin = Origin(request.url).description
        if let expected = self.origin, expected != origin {
            found.append(StubDifference(part: .origin, expected: expected, received: origin))
        }
        let path = request.url.path(percentEncoded: true)
        if !(isExact ? PathPattern.isSame(self.path, path) : PathPattern(self.path).matches(path)) {
            found.append(StubDifference(part: .path, expected: self.path, received: path))
        }
        found += queryDifferences(to: request)
        found += headerDifferences(to: request)
        // Of another request the body need not make sense.
        if found.allSatisfy(\.part.isDetail), let difference = bodyDifference?(request) { found.append(difference) }
        return found
    }

    /// How far a request is from this pattern: zero when it fits.
    func distance(_ differences: [StubDifference], to request: StubRequest) -> Int {
        let pathDistance = PathPattern(path).distance(to: request.url.path(percentEncoded: true))
        return differences.reduce(0) { $0 + $1.weight(pathDistance) }
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
        return headers.fields.map(\.name).filter { seen.insert($0.lowercased()).inserted }.compactMap { name in
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
