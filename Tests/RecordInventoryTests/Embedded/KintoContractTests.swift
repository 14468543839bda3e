import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RecordInventory

/// The contract, kept by a live Kinto: `RECORDKIT_KINTO_URL` is its address, such as `http://127.0.0.1:8888/v1`;
/// `RECORDKIT_KINTO_USER` and `RECORDKIT_KINTO_PASSWORD` sign in.
final class KintoContractTests: XCTestCase {
    func testContract() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let address = environment["RECORDKIT_KINTO_URL"] else {
            print("not run: the contract against a live Kinto (RECORDKIT_KINTO_URL is not set)")
            return
        }
        let server = try XCTUnwrap(URL(string: address)?.deletingLastPathComponent().absoluteString)
        let account = "\(environment["RECORDKIT_KINTO_USER"] ?? ""):\(environment["RECORDKIT_KINTO_PASSWORD"] ?? "")"
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Basic \(Data(account.utf8).base64EncodedString())"]
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
