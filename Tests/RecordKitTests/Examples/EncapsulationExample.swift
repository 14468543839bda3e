import Foundation
import RecordKit
import RecordKitXML

/// A record store's inventory, grouped into containers of requests by purpose. It uses an API that speaks JSON and one
/// that speaks XML. Each has its own sign-in.
enum Encapsulation {
    struct StockedRecord: Codable, Hashable, NetworkEncodable {
        var sku: String
        var title: String
        var quantity: Int
    }

    enum StockError: NetworkFailure {
        case missing
        case network(NetworkError)

        init(_ error: NetworkError) {
            self = error.response?.statusCode == 404 ? .missing : .network(error)
        }
    }

    /// One container for each type of response: `create` cannot return a list.
    enum RecordInventoryService {
        enum One: NetworkRequest {
            typealias ValueType = StockedRecord
            typealias ErrorType = StockError

            case createRecord(StockedRecord)
            case fetchRecord(sku: String)

            var path: RequestPath {
                switch self {
                case .createRecord: "records"
                case .fetchRecord(let sku): "records/\(sku)"
                }
            }

            var method: HTTPMethod {
                switch self {
                case .createRecord: .post
                case .fetchRecord: .get
                }
            }

            var body: (any NetworkEncodable)? {
                switch self {
                case .createRecord(let record): record
                case .fetchRecord: nil
                }
            }
        }

        enum Many: NetworkRequest {
            typealias ValueType = [StockedRecord]
            typealias ErrorType = StockError

            case fetchRecords(title: String? = nil)

            var path: RequestPath { "records" }

            var query: RequestQuery {
                switch self {
                case .fetchRecords(let title): ["title": title]
                }
            }
        }
    }

    /// A catalog such as MusicBrainz, in XML.
    enum Catalogue: NetworkRequest {
        typealias ValueType = Release
        typealias ErrorType = NetworkError

        case release(id: String)

        var path: RequestPath {
            switch self {
            case .release(let id): "release/\(id)"
            }
        }

        var query: RequestQuery { ["inc": "artist-credits labels recordings"] }
        var options: RequestOptions { RequestOptions(expectedType: "application/xml") }
    }

    struct Release: XMLReadable, Equatable {
        struct Track: XMLReadable, Equatable {
            let number: String
            let title: String
            let length: Duration?

            init(_ tree: XMLTree) throws {
                number = try tree.value(at: "number")
                title = try tree.value(at: "recording/title")
                length = try tree.valueIfPresent(at: "length").map { .milliseconds($0 as Int) }
            }
        }

        let id: String
        let title: String
        let artist: String
        let catalogueNumbers: [String]
        let barcode: String?
        let media: [String]
        let tracks: [Track]

        init(_ tree: XMLTree) throws {
            let release = try tree.element(at: "release")
            id = try release.value(at: "@id")
            title = try release.value(at: "title")
            artist = try release.elements(at: "artist-credit/name-credit").map { credit in
                let join: String? = try credit.valueIfPresent(at: "@joinphrase")
                return try credit.value(at: "artist/name") + (join ?? "")
            }.joined()
            catalogueNumbers = try release.elements(at: "label-info-list/label-info/catalog-number").map {
                try $0.value(at: "")
            }
            barcode = try release.valueIfPresent(at: "barcode")
            media = try release.elements(at: "medium-list/medium/format").map { try $0.value(at: "") }
            tracks = try release.elements(at: "medium-list/medium/track-list/track").map { try Track($0) }
        }
    }
}
