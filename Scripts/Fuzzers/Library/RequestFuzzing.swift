import Foundation
@testable import RecordKit

/// Checks a value that a user typed. As a path segment, a query item and a header, it keeps its value and changes no
/// other part of the request.
enum RequestFuzzing {
    private struct Ask: NetworkRequest {
        typealias ValueType = Data
        typealias ErrorType = NetworkError

        let value: String

        var baseURL: String { "https://store.example/v1" }
        var path: RequestPath { "records/\(value)/labels" }
        var query: RequestQuery { ["artist": value, "sort": "price"] }
        var headers: HTTPHeaders { ["X-Label": value] }
    }

    private static let configuration = NetworkConfiguration()

    static func check(_ value: String) {
        // Foundation omits a byte-order mark when it reads the segment back.
        if value.unicodeScalars.first == "\u{FEFF}" { return }
        do throws(NetworkError) {
            let url = try Ask(value: value).call(in: configuration).url
            guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.scheme == "https",
                parts.host == "store.example", parts.user == nil, parts.port == nil, parts.fragment == nil
            else { violation("a value does not change the server", value, url.absoluteString) }
            let segments = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false)
            if segments.map({ $0.removingPercentEncoding }) != ["", "v1", "records", value, "labels"] {
                violation("a value is one segment of the path", value, url.absoluteString)
            }
            let items = parts.percentEncodedQuery?.split(separator: "&") ?? []
            let texts = items.map { $0.replacing("+", with: " ").removingPercentEncoding }
            if texts != ["artist=\(value)", "sort=price"] {
                violation("a value is one item of the query", value, url.absoluteString)
            }
            if value.utf8.contains(where: { [0, 10, 13].contains($0) }) {
                violation("a header holds no line break", value)
            }
        } catch {
            _ = error.description
        }
    }
}
