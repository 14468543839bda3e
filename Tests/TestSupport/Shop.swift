public import Foundation
public import RecordKit
import RecordKitCurl
public import RecordKitTesting

/// The domain of the tests' requests.
public struct Item: Codable, Hashable, NetworkEncodable, Sendable {
    public var sku: String
    public var quantity: Int

    public init(sku: String, quantity: Int) {
        self.sku = sku
        self.quantity = quantity
    }
}

public enum ShopError: NetworkFailure {
    case notFound
    case network(NetworkError)

    public init(_ error: NetworkError) {
        self = error.response?.statusCode == 404 ? .notFound : .network(error)
    }

    public var network: NetworkError? {
        if case .network(let error) = self { error } else { nil }
    }
}

public enum Shop {
    public enum One: NetworkRequest {
        public typealias ValueType = Item
        public typealias ErrorType = ShopError

        case fetch(sku: String)
        case create(Item)
        case replace(Item)
        case broken

        public var path: RequestPath {
            switch self {
            case .fetch(let sku): "items/\(sku)"
            case .create: "items"
            case .replace(let item): "items/\(item.sku)"
            case .broken: "items/\("")"
            }
        }

        public var method: HTTPMethod {
            switch self {
            case .fetch, .broken: .get
            case .create: .post
            case .replace: .put
            }
        }

        public var body: (any NetworkEncodable)? {
            switch self {
            case .fetch, .broken: nil
            case .create(let item), .replace(let item): item
            }
        }
    }

    public enum Many: NetworkRequest {
        public typealias ValueType = [Item]
        public typealias ErrorType = ShopError

        case list(title: String?)

        public var path: RequestPath { "items" }
        public var query: RequestQuery {
            switch self {
            case .list(let title): ["title": title]
            }
        }
    }

    public enum Nothing: NetworkRequest {
        public typealias ValueType = Void
        public typealias ErrorType = ShopError

        case delete(sku: String)

        public var path: RequestPath {
            switch self {
            case .delete(let sku): "items/\(sku)"
            }
        }
        public var method: HTTPMethod { .delete }
    }
}

extension NetworkConfiguration {
    /// Creates a configuration for a test's own server.
    ///
    /// With `RECORDKIT_TRANSPORT=libcurl` in the environment, it sends calls over libcurl, so that tests without data
    /// tasks can run over both transports.
    ///
    /// - Parameter transport: The transport, whatever the environment says.
    public init(
        _ url: URL, transport: (any NetworkTransport)? = nil, interceptors: [any NetworkInterceptor] = [],
        options: RequestOptions = RequestOptions(), clock: ManualClock? = nil, observers: [any NetworkObserver] = []
    ) {
        let usesCurl = ProcessInfo.processInfo.environment["RECORDKIT_TRANSPORT"] == "libcurl"
        self.init(
            environment: NetworkEnvironment(url.absoluteString),
            transport: transport ?? (usesCurl ? CurlTransport() : URLSessionTransport()), interceptors: interceptors,
            options: options, clock: clock?.networkClock ?? .continuous, observers: observers)
    }
}
