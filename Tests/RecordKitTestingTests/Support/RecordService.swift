import TestSupport
import Foundation
import RecordKit

/// The domain of these tests.
struct Record: Codable, Hashable, NetworkEncodable {
    var sku: String
    var title = "Blue"
    var quantity = 1
}

enum InventoryError: NetworkFailure {
    case notFound
    case conflict(current: Int)
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error.response?.statusCode {
        case 404: self = .notFound
        case 412: self = .conflict(current: 7)
        default: self = .network(error)
        }
    }

    var network: NetworkError? {
        if case .network(let error) = self { error } else { nil }
    }
}

enum RecordService {
    enum One: NetworkRequest {
        typealias ValueType = Record
        typealias ErrorType = InventoryError

        case fetch(sku: String)
        case create(Record)
        case replace(Record, version: Int)

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "records/\(sku)"
            case .create: "records"
            case .replace(let record, _): "records/\(record.sku)"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .fetch: .get
            case .create: .post
            case .replace: .put
            }
        }

        var headers: HTTPHeaders {
            switch self {
            case .fetch, .create: [:]
            case .replace(_, let version): ["If-Match": "\"\(version)\""]
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .fetch: nil
            case .create(let record), .replace(let record, _): record
            }
        }
    }

    enum Many: NetworkRequest {
        typealias ValueType = [Record]
        typealias ErrorType = InventoryError

        case list(title: String?, page: Int)

        var path: RequestPath { "records" }

        var query: RequestQuery {
            switch self {
            case .list(let title, let page): ["title": title, "page": page]
            }
        }
    }

    enum Nothing: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = InventoryError

        case delete(sku: String)

        var path: RequestPath {
            switch self {
            case .delete(let sku): "records/\(sku)"
            }
        }

        var method: HTTPMethod { .delete }
    }
}
