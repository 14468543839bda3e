import Foundation
import RecordKit
import XCTest

@testable import RecordInventory

/// The contract, kept by the embedded store.
final class EmbeddedContractTests: XCTestCase {
    func testContract() async throws {
        let folder = try TemporaryFolder()
        let store = EmbeddedStore(file: folder.url.appending(path: "store.sqlite"))
        let contract = StoreContract(bucket: "contract") { try await $0.answer(of: store) }
        for check in StoreContract.checks {
            try await check.run(contract)
        }
    }
}

extension StoreContract.Request {
    func answer(of store: EmbeddedStore) async throws -> StoreContract.Answer {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = StoreRequest(
            method: HTTPMethod(rawValue: method), path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0, value: $1) }),
            body: .bytes(Array((body ?? "").utf8)), origin: "http://store.test")
        let response = try await store.answer(request)
        return StoreContract.Answer(
            status: response.status,
            headers: Dictionary(response.headers.fields.map { ($0.name.lowercased(), $0.value) }) { $1 },
            body: response.body.isEmpty ? nil : try JSONReader.read(response.body))
    }
}
