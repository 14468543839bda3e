import Foundation
import RecordKit
import XCTest

@testable import RecordInventory

final class StockTests: XCTestCase {
    func testEmbedded() async throws {
        let folder = try TemporaryFolder()
        let store = EmbeddedStore(file: folder.url.appending(path: "stock.sqlite"))
        let network = NetworkConfiguration(
            environment: NetworkEnvironment("https://embedded.test/v1"), transport: EmbeddedTransport(store))
        try await StockContract(network: network).run()
    }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "the stock") else { return }
        let network = NetworkConfiguration(
            environment: NetworkEnvironment(kinto.address), headers: ["Authorization": kinto.authorization])
        try await StockContract(network: network).run()
    }
}
