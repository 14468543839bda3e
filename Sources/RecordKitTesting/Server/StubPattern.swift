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
