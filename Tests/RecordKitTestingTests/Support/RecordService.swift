import Foundation
import RecordKit

/// The requests of these tests.
enum RecordService {
    enum One: NetworkRequest {
        typealias ValueType = Record
        typealias ErrorType = InventoryError

        case fetch(sku: String)
        case create(Record)

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
            case .create(let record): record
            }
        }
    }

    enum Many: NetworkRequest {
        typealias ValueType = [Record]
        typealias ErrorType = InventoryError

        case list

        var path: RequestPath { "records" }
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

enum QueryExamples {
    enum Search: NetworkRequest {
        typealias ValueType = [Record]

        case list(title: String?, formats: [String])
        case byArtist(String)

        var path: RequestPath {
            switch self {
            case .list: "records"
            case .byArtist(let name): "artists/\(name)/records"
            }
        }

        var query: RequestQuery {
            switch self {
            case .list(let title, let formats):
                ["title": title, "format": formats, "_sort": "-price"]
            case .byArtist: [:]
            }
        }
    }

    struct Keyed: NetworkRequest {
        typealias ValueType = Data

        let key: String

        var path: RequestPath { "records" }
        var query: RequestQuery { (["k": key] as RequestQuery).markingSensitive("k") }
    }
}
