import Foundation
import RecordKit
import RecordKitOAuth
import RecordKitStreaming
import RecordKitTesting
import XCTest

// The snippets of the articles on pagination, conditional requests, error responses and request signing.

/// A record, and the version that it was read at.
struct VersionedRecord: Sendable {
    var record: Record
    var version: String?
}

enum VersionedRecords: NetworkRequest {
    typealias ValueType = VersionedRecord
    typealias ErrorType = InventoryError

    case fetch(sku: String)
    case save(VersionedRecord)

    var path: RequestPath {
        switch self {
        case .fetch(let sku): "records/\(sku)"
        case .save(let copy): "records/\(copy.record.sku)"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .fetch: .get
        case .save: .put
        }
    }

    var headers: HTTPHeaders {
        switch self {
        case .fetch: [:]
        case .save(let copy): ["If-Match": copy.version]
        }
    }

    var body: (any NetworkEncodable)? {
        switch self {
        case .fetch: nil
        case .save(let copy): copy.record
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<
        VersionedRecord, InventoryError
    > {
        accept(response) { response in
            VersionedRecord(
                record: try response.value(using: decoder),
                version: response.headers["ETag"])
        }
    }
}

enum ChangedRecord: NetworkRequest {
    typealias ValueType = Record?
    typealias ErrorType = InventoryError

    case fetch(sku: String, unlessStill: String)

    var path: RequestPath {
        switch self {
        case .fetch(let sku, _): "records/\(sku)"
        }
    }

    var headers: HTTPHeaders {
        switch self {
        case .fetch(_, let version): ["If-None-Match": version]
        }
    }

    func handleError(
        _ error: NetworkError
    ) -> Result<Record?, InventoryError> {
        error.response?.statusCode == 304
            ? .success(nil) : .failure(InventoryError(error))
    }
}

enum PaginationExamples {
    enum Releases: PagedRequest {
        typealias ValueType = [Record]
        typealias Item = Record
        typealias ErrorType = InventoryError

        case all(label: String)

        var path: RequestPath { "releases" }

        var query: RequestQuery {
            switch self {
            case .all(let label): ["label": label, "per_page": 100]
            }
        }
    }

    struct Sale: Decodable {
        var sku: String
    }

    struct Sales: PagedRequest {
        struct Page: Decodable {
            var sales: [Sale]
            var cursor: String?
        }

        typealias ValueType = Page
        typealias ErrorType = InventoryError

        var cursor: String?

        var path: RequestPath { "sales" }
        var query: RequestQuery { ["cursor": cursor] }

        func items(of page: Page) -> [Sale] { page.sales }

        func next(after page: NetworkReply<Page>) -> NextPage<Self>? {
            page.value.cursor.map { .request(Sales(cursor: $0)) }
        }
    }

    static func all(in network: NetworkSession) async throws(InventoryError) {
        for try await record in network.items(for: Releases.all(label: "4AD")) {
            print(record.title)
        }
    }

    static func later(_ network: NetworkSession) async throws(InventoryError) {
        var last: NextPage<Releases>?
        let pages = network.pages(
            for: Releases.all(label: "4AD"),
            options: PagingOptions(pageLimit: 5, loadsAhead: true))
        for try await page in pages {
            let total = page.reply.response?.headers["X-Total-Count"]
            print(page.items.count, "of", total ?? "?")
            last = page.next
        }
        let more = network.items(for: Releases.all(label: "4AD"), from: last)
        for try await record in more {
            print(record.title)
        }
    }
}

enum SaleError: NetworkFailure {
    case tooFew(available: Int)
    case signedOut
    case refused(String)
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error {
        case .status(let response):
            if response.statusCode == 409,
                let shortage = try? response.value(as: Shortage.self)
            {
                self = .tooFew(available: shortage.available)
            } else if let detail = response.problem?.detail {
                self = .refused(detail)
            } else {
                self = .network(error)
            }
        case .interceptor(let failure)
        where (failure.cause as? OAuthError)?.needsSignIn == true:
            self = .signedOut
        default:
            self = .network(error)
        }
    }
}

struct Shortage: Decodable {
    var available: Int
}
