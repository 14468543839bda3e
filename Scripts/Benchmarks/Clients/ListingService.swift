import Foundation
import RecordKit

/// What the workloads ask for through RecordKit.
enum ListingService {
    enum One: NetworkRequest {
        typealias ValueType = Listing
        typealias ErrorType = NetworkError

        case fetch(sku: String)

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "records/\(sku)"
            }
        }
    }
}
