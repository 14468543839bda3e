import Foundation
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitCurl
import RecordKitInterceptors
import RecordKitTesting

// The snippets of the articles on caching, circuit breaking and conflicts.

/// An app that works offline.
struct OfflineApp {
    let cache: HTTPCache
    let network: NetworkSession

    /// Returns a record, or the stored one while the server can't be reached.
    func record(_ sku: String) async throws(InventoryError) -> Record {
        let request = RecordService.One.fetch(sku: sku)
        return try await network.value(for: request) {
            $0.options.cache = .networkFirst
        }
    }

    func validated(_ sku: String) async throws -> Record {
        let record = try await network.value(for: RecordService.One.fetch(sku: sku)) {
            $0.options.cache = .validate
        }
        return record
    }

    func whenToTryAgain(after error: NetworkError) -> Date? {
        (error.cause as? CircuitBreaker.OpenError)?.until
    }

    func signOut() async throws {
        network.cancelAll()
        try await cache.removeAll()
    }
}

enum CacheExamples {
    static func inMemory() -> NetworkSession {
        let cache = HTTPCache()
        let network = NetworkSession(
            NetworkConfiguration(
                environment: .production,
                transport: cache.transport(URLSessionTransport())))
        return network
    }

    static func onDisk(_ folder: URL) -> NetworkSession {
        let cache = HTTPCache(store: DiskCacheStore(folder: folder))
        let network = NetworkSession(
            NetworkConfiguration(
                environment: .production,
                transport: cache.transport(URLSessionTransport())))
        return network
    }

    static func withABreaker(_ cache: HTTPCache) -> any NetworkTransport {
        let breaker = CircuitBreaker()
        let transport = cache.transport(breaker.transport(CurlTransport()))
        return transport
    }

    /// Returns the number of requests that were sent.
    static func withAManualClock() async throws -> Int {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(
            to: "/records/LP-0042",
            with: .json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#)
                .adding(["Cache-Control": "max-age=60"]))
        var configuration = stub.configuration
        configuration.transport = HTTPCache().transport(stub)
        let records = NetworkManager<RecordService.One>(configuration)

        _ = try await records.value(for: .fetch(sku: "LP-0042"))
        clock.advance(by: .seconds(59))
        _ = try await records.value(for: .fetch(sku: "LP-0042"))  // stored
        clock.advance(by: .seconds(1))
        _ = try await records.value(for: .fetch(sku: "LP-0042"))  // sent
        return stub.requests.count
    }
}

/// Edits of records at the version that they were read at.
struct RecordEditor {
    enum EditError: NetworkFailure {
        /// Another client has changed the record, to this if the server sent it.
        case conflict(current: VersionedRecord?)
        case network(NetworkError)

        init(_ error: NetworkError) {
            guard let response = error.response, response.statusCode == 412 else {
                self = .network(error)
                return
            }
            let record = try? response.value(as: Record.self)
            self = .conflict(
                current: record.map {
                    VersionedRecord(record: $0, version: response.headers["ETag"])
                })
        }
    }

    enum Edit: NetworkRequest {
        typealias ValueType = VersionedRecord
        typealias ErrorType = EditError

        case save(VersionedRecord)

        var path: RequestPath {
            switch self {
            case .save(let copy): "records/\(copy.record.sku)"
            }
        }

        var method: HTTPMethod { .put }

        var headers: HTTPHeaders {
            switch self {
            case .save(let copy): ["If-Match": copy.version]
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .save(let copy): copy.record
            }
        }

        func handleResponse(_ response: NetworkResponse) -> Result<VersionedRecord, EditError> {
            accept(response) { response in
                VersionedRecord(record: try response.value(using: decoder), version: response.headers["ETag"])
            }
        }
    }

    let edits: NetworkManager<Edit>

    /// Changes a record, or the current one if another client was faster.
    func change(
        _ copy: VersionedRecord, _ edit: (inout Record) -> Void
    ) async throws(EditError) -> VersionedRecord {
        var copy = copy
        for _ in 0..<3 {
            edit(&copy.record)
            do throws(EditError) {
                return try await edits.value(for: .save(copy))
            } catch {
                guard case .conflict(let current?) = error else { throw error }
                copy = current
            }
        }
        throw .conflict(current: copy)
    }
}
