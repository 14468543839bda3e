import Foundation
import RecordKit
import RecordKitCurl

/// The domain of the tests' requests.
struct Item: Codable, Hashable, NetworkEncodable {
    var sku: String
    var quantity: Int
}

enum ShopError: NetworkFailure {
    case notFound
    case network(NetworkError)

    init(_ error: NetworkError) {
        self = error.response?.statusCode == 404 ? .notFound : .network(error)
    }

    var network: NetworkError? {
        if case .network(let error) = self { error } else { nil }
    }
}

enum Shop {
    enum One: NetworkRequest {
        typealias ValueType = Item
        typealias ErrorType = ShopError

        case fetch(sku: String)
        case create(Item)
        case replace(Item)
        case broken

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "items/\(sku)"
            case .create: "items"
            case .replace(let item): "items/\(item.sku)"
            case .broken: "items/\("")"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .fetch, .broken: .get
            case .create: .post
            case .replace: .put
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .fetch, .broken: nil
            case .create(let item), .replace(let item): item
            }
        }
    }

    enum Many: NetworkRequest {
        typealias ValueType = [Item]
        typealias ErrorType = ShopError

        case list(title: String?)

        var path: RequestPath { "items" }
        var query: RequestQuery {
            switch self {
            case .list(let title): ["title": title]
            }
        }
    }

    enum Nothing: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = ShopError

        case delete(sku: String)

        var path: RequestPath {
            switch self {
            case .delete(let sku): "items/\(sku)"
            }
        }
        var method: HTTPMethod { .delete }
    }
}

extension NetworkConfiguration {
    /// Creates a configuration for a test's own server.
    ///
    /// With `RECORDKIT_TRANSPORT=libcurl` in the environment, it sends calls over libcurl, so that tests without data
    /// tasks can run over both transports.
    init(_ url: URL, interceptors: [any NetworkInterceptor] = [], options: RequestOptions = RequestOptions()) {
        let usesCurl = ProcessInfo.processInfo.environment["RECORDKIT_TRANSPORT"] == "libcurl"
        self.init(
            environment: NetworkEnvironment(url.absoluteString),
            transport: usesCurl ? CurlTransport() : URLSessionTransport(), interceptors: interceptors, options: options)
    }
}
