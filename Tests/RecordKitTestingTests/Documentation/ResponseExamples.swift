import Foundation
import RecordKit
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

    func handleResponse(_ response: NetworkResponse) -> Result<VersionedRecord, InventoryError> {
        accept(response) { response in
            VersionedRecord(record: try response.value(using: decoder), version: response.headers["ETag"])
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

    func handleError(_ error: NetworkError) -> Result<Record?, InventoryError> {
        error.response?.statusCode == 304 ? .success(nil) : .failure(InventoryError(error))
    }
}

struct RecordPage: Sendable {
    var records: [Record]
    var next: RecordPages?
}

struct PageElsewhere: Error {}

enum RecordPages: NetworkRequest {
    typealias ValueType = RecordPage
    typealias ErrorType = InventoryError

    case first(title: String)
    case at(URL)

    var baseURL: String { if case .at(let url) = self { url.absoluteString } else { "" } }
    var path: RequestPath { if case .first = self { "records" } else { "" } }

    var query: RequestQuery {
        switch self {
        case .first(let title): ["title": title, "_limit": 100]
        case .at: [:]
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<RecordPage, InventoryError> {
        accept(response) { response in
            let next = response.link("next")
            if let next, !response.isSameOrigin(as: next) { throw PageElsewhere() }
            return RecordPage(records: try response.value(using: decoder), next: next.map { .at($0) })
        }
    }
}

func allRecords(title: String, in network: NetworkConfiguration) async throws(InventoryError) -> [Record] {
    var records: [Record] = []
    var next: RecordPages? = .first(title: title)
    while let request = next {
        let page = try await network.value(for: request)
        records += page.records
        next = page.next
    }
    return records
}

struct RecordSequence: AsyncSequence, AsyncIteratorProtocol {
    let network: NetworkConfiguration
    var request: RecordPages?

    func makeAsyncIterator() -> RecordSequence { self }

    mutating func next(isolation: isolated (any Actor)?) async throws(InventoryError) -> [Record]? {
        guard let request else { return nil }
        let page = try await network.value(for: request)
        self.request = page.next
        return page.records
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
            if response.statusCode == 409, let shortage = try? response.value(as: Shortage.self) {
                self = .tooFew(available: shortage.available)
            } else if let detail = response.problem?.detail {
                self = .refused(detail)
            } else {
                self = .network(error)
            }
        case .interceptor(let failure) where failure.cause is SignInError:
            self = .signedOut
        default:
            self = .network(error)
        }
    }
}

struct Shortage: Decodable {
    var available: Int
}

struct Signature: NetworkInterceptor {
    let host: String
    let sign: @Sendable (Data) -> String

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard call.url.host() == host else { return try await next(call) }
        let time = "\(HTTPDate(call.clock.date()))"
        var signed = Data("\(call.method) \(call.url.absoluteString)\n\(time)\n".utf8)
        if let body = call.body { signed += try await body.data() }
        var call = call
        call.headers["Date"] = time
        call.headers["X-Signature"] = sign(signed)
        call.headers.markSensitive(["X-Signature"])
        return try await next(call)
    }
}
