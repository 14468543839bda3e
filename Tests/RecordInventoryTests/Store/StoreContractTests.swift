import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RecordInventory

/// The contract, checked on the embedded store.
final class EmbeddedContractTests: TimedTestCase {
    func testContract() async throws {
        let folder = try TemporaryFolder()
        let store = EmbeddedStore(file: folder.url.appending(path: "store.sqlite"))
        let contract = StoreContract(bucket: "contract") { try await $0.response(of: store) }
        for check in StoreContract.checks { try await check.run(contract) }
    }
}

extension StoreContract.Request {
    func response(of store: EmbeddedStore) async throws -> StoreContract.Response {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = StoreRequest(
            method: HTTPMethod(rawValue: method), path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0, value: $1) }),
            body: .bytes(Data((body ?? "").utf8)))
        let response = try await store.respond(to: request)
        return StoreContract.Response(
            status: response.status,
            headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
            body: response.body.isEmpty ? nil : try JSONValue(stored: response.body))
    }
}

/// The contract, checked on a live Kinto.
final class KintoContractTests: TimedTestCase {
    func testContract() async throws {
        guard let kinto = try LiveKinto.find(for: "the contract") else { return }
        let server = try XCTUnwrap(URL(string: kinto.address)?.deletingLastPathComponent().absoluteString)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": kinto.authorization]
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }

        let bucket = "contract-\(UUID().uuidString.lowercased())"
        let contract = StoreContract(bucket: bucket) { request in
            var sent = URLRequest(url: try XCTUnwrap(URL(string: server + request.target.dropFirst())))
            sent.httpMethod = request.method
            sent.httpBody = request.body.map { Data($0.utf8) }
            for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await session.data(for: sent)
            let received = try XCTUnwrap(response as? HTTPURLResponse)
            let headers = received.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
            return StoreContract.Response(
                status: received.statusCode, headers: Dictionary(headers) { $1 },
                body: data.isEmpty ? nil : try JSONValue(stored: Array(data)))
        }
        for check in StoreContract.checks { try await check.run(contract) }
    }
}

extension StoreRequest.Body {
    static func json(_ value: JSONValue) -> StoreRequest.Body { .bytes(Data(value.bytes())) }
}
