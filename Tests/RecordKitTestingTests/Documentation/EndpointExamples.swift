import Foundation
import RecordKit
import RecordKitDigest
import RecordKitInterceptors
import RecordKitStreaming

// The snippets of the pages on calling without an enum and on digests, and those on tenants and on calls without a
// sign-in.

enum EndpointExamples {
    static func calls(_ network: NetworkSession, _ sku: String) async throws {
        let record: Record = try await network.value(
            for: Endpoint(path: "records/\(sku)"))
        let created: Record = try await network.value(
            for: Endpoint(.post, path: "records", body: JSONBody(record)))
        try await network.value(for: Endpoint(.delete, path: "records/\(sku)"))

        print(created)
    }

    enum Store {
        static func record(_ sku: String) -> Endpoint<Record, InventoryError> {
            Endpoint(path: "records/\(sku)")
        }

        static func records(
            by artist: String, page: Int = 1
        ) -> Endpoint<[Record], InventoryError> {
            Endpoint(path: "artists/\(artist)/records", query: ["page": page])
        }

        static func delete(_ sku: String) -> Endpoint<Void, InventoryError> {
            Endpoint(.delete, path: "records/\(sku)")
        }
    }

    static func functions(_ network: NetworkSession) async throws {
        let record = try await network.value(for: Store.record("LP-0042"))
        let list = try await network.value(for: Store.records(by: "Joni"))
        try await network.value(for: Store.delete("LP-0042"))

        print(record, list)
    }

    static func tenant(_ network: NetworkSession, _ environment: NetworkEnvironment, _ shop: String) async throws {
        let tenant = network.at(environment.appending("shops/\(shop)"))
        let records = NetworkManager<RecordService.Many>(tenant)
        let list = try await records.value(for: .list)

        print(list)
    }

    enum Account: NetworkRequest {
        typealias ValueType = Data

        case signIn, newReleases, orders

        var path: RequestPath { "account" }
        var options: RequestOptions {
            switch self {
            case .signIn: RequestOptions { $0.authorization = .never }
            case .newReleases: RequestOptions { $0.authorization = .optional }
            case .orders: RequestOptions()
            }
        }
    }

    struct Home: NetworkRequest {
        typealias ValueType = Data

        var path: RequestPath { "home" }
        var options: RequestOptions {
            RequestOptions { $0.authorization = .optional }
        }
    }

    static func log(_ configuration: inout NetworkConfiguration) {
        let log = LoggingInterceptor(level: .debug)
        configuration.interceptors.append(log)
        configuration.observers.append(log)
    }

    typealias Recording = StreamingExamples.Recording

    struct DamagedRecording: Error {}

    static func digests(_ network: NetworkSession, _ data: Data, _ expected: String) async throws {
        let checksum = MessageDigest.of(data, .sha256).hexadecimal

        print(checksum)

        var digest = MessageDigest(.sha256)
        for try await chunk in network.chunks(for: Recording()) {
            digest.update(chunk)
        }
        guard digest.hexadecimal == expected else { throw DamagedRecording() }
    }

    struct ContentDigest: NetworkInterceptor {
        func intercept(
            _ call: NetworkCall, next: NetworkCall.Next
        ) async throws(NetworkError) -> NetworkResponse {
            guard let body = call.body else { return try await next(call) }
            let digest = MessageDigest.of(try await body.data(), .sha256)
            let value = Data(digest.bytes).base64EncodedString()
            var call = call
            call.headers["Content-Digest"] = "sha-256=:\(value):"
            return try await next(call)
        }
    }
}
