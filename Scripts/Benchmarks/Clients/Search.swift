import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request with every member: 10 query items, 5 headers and a JSON body.
struct Search: Sendable {
    var sku = "LP-0042"
    var text = "sleeve & vinyl + obi"
    var page = 3
    var listing = Listing.sample

    var items: [(name: String, value: String)] {
        [
            ("q", text), ("artist", "Sigur Rós"), ("year", "1971"), ("min_price", "500"), ("max_price", "4000"),
            ("currency", "EUR"), ("condition", "VG+"), ("sort", "-price"), ("page", String(page)), ("per_page", "100"),
        ]
    }

    var fields: [(name: String, value: String)] {
        [
            ("Accept", "application/json"), ("Accept-Language", "is, en;q=0.8"), ("User-Agent", "Shop/1.4"),
            ("X-Request-ID", "7c0e6a52"), ("If-Match", "\"1712\""),
        ]
    }

    /// Returns the request, built by hand.
    func request() throws -> URLRequest {
        guard var components = URLComponents(string: "https://store.example/v1") else { throw WrongAnswer("no URL") }
        components.path += "/records/\(sku)"
        components.queryItems = items.map { URLQueryItem(name: $0.name, value: $0.value) }
        guard let url = components.url else { throw WrongAnswer("no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(listing)
        return request
    }
}

/// The same request for RecordKit.
extension Search: NetworkRequest {
    typealias ValueType = Listing
    typealias ErrorType = NetworkError

    var baseURL: String { "https://store.example/v1" }
    var path: RequestPath { "records/\(sku)" }
    var method: HTTPMethod { .post }
    var query: RequestQuery { RequestQuery(items.map { RequestQuery.Item(name: $0.name, value: $0.value) }) }
    var headers: HTTPHeaders { HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }) }
    var body: (any NetworkEncodable)? { listing }
}
