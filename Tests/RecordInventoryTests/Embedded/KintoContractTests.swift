import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RecordInventory

/// The contract, kept by a live Kinto.
final class KintoContractTests: XCTestCase {
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
            return StoreContract.Answer(
                status: received.statusCode, headers: Dictionary(headers) { $1 },
                body: data.isEmpty ? nil : try JSONReader.read(Array(data)))
        }
        for check in StoreContract.checks {
            try await check.run(contract)
        }
    }
}
