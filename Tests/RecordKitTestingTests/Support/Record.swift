import TestSupport
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
