import Foundation
import RecordKit

/// The endpoints, grouped by the type of the response.
enum ListingService {
    protocol Endpoint: NetworkRequest where ErrorType == NetworkError {}

    enum One: Endpoint {
        typealias ValueType = Listing

        case fetch(sku: String)
        case create(Listing)

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "records/\(sku)"
            case .create: "records"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .fetch: .get
            case .create: .post
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .fetch: nil
            case .create(let listing): listing
            }
        }
    }

    enum Many: Endpoint {
        typealias ValueType = [Listing]

        case all

        var path: RequestPath { "records/all" }
    }

    enum Nothing: Endpoint {
        typealias ValueType = Void

        case upload(URL)
        case file

        var path: RequestPath {
            switch self {
            case .upload: "uploads"
            case .file: "file"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .upload: .post
            case .file: .get
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .upload(let file): FileBody(file)
            case .file: nil
            }
        }
    }
}
