import Foundation
import RecordKit
import RecordKitTemplates

/// Titles, for developers used to operations: routes as templates, a gateway with closures, and parsers that read
/// headers.
///
/// | there | here |
/// |---|---|
/// | `Environment` (server, path, version) | ``NetworkEnvironment`` |
/// | a route, `?apikey={apikey}&t={t}`, and its parameters | ``RouteTemplate`` and its values |
/// | `RequestOperation` | the request |
/// | its client and executor | the configuration's transport and interceptors |
/// | its parser | the value type |
/// | a parser that reads the headers | a ``NetworkValue`` |
/// | `Gateway` with `onSuccess` and `onError` | a class of the app, around `NetworkManager.send` |
enum Titles {
    struct Title: Decodable, Equatable {
        let name: String
        let year: String

        enum CodingKeys: String, CodingKey {
            case name = "Title"
            case year = "Year"
        }
    }

    /// The number of requests that the server still allows today, read from its headers.
    struct Allowance: NetworkValue, Equatable {
        let remaining: Int

        static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> Allowance {
            guard let remaining = response.headers["X-Remaining"].flatMap({ Int($0) }) else { throw Missing() }
            return Allowance(remaining: remaining)
        }

        struct Missing: Error {}
    }

    /// A request whose path and query come from a template and its values.
    protocol Routed: NetworkRequest where ErrorType == NetworkError {
        var route: RouteTemplate { get }
        var values: RouteTemplate.Values { get }
    }

    struct Find: Routed {
        typealias ValueType = Title

        let key: String
        let title: String
        var year: Int?

        var route: RouteTemplate { "?apikey={apikey}&t={t}{&y}" }
        var values: RouteTemplate.Values { ["apikey": key, "t": title, "y": year] }
    }

    struct Left: Routed {
        typealias ValueType = Allowance

        let key: String

        var route: RouteTemplate { "keys/{apikey}{/detail*}" }
        var values: RouteTemplate.Values { ["apikey": key, "detail": ["usage", "today"]] }
        var method: HTTPMethod { .head }
    }

    /// The interface for the rest of the app, extended by domain.
    final class Gateway: Sendable {
        private let find: NetworkManager<Find>
        private let key: String

        init(_ network: NetworkConfiguration, key: String) {
            find = NetworkManager(network)
            self.key = key
        }

        func title(
            _ title: String, onSuccess: @escaping @Sendable (Title) -> Void,
            onError: @escaping @Sendable (NetworkError) -> Void
        ) {
            find.send(Find(key: key, title: title)) { result in
                switch result {
                case .success(let title): onSuccess(title)
                case .failure(let error): onError(error)
                }
            }
        }
    }
}

extension Titles.Routed {
    var path: RequestPath { route.path(values) }
    var query: RequestQuery { route.query(values) }
}
