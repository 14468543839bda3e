import RecordKit
import Synchronization
import XCTest

@testable import RecordInventory

final class ImportWriterTests: XCTestCase {
    /// Lets somebody else be faster: does `deed` before the first request that holds the text.
    private final class OvertakenTransport: NetworkTransport {
        private let transport: EmbeddedTransport
        private let text: String
        private let deed: Mutex<(@Sendable () async -> Void)?>

        init(_ transport: EmbeddedTransport, before text: String, _ deed: @escaping @Sendable () async -> Void) {
            self.transport = transport
            self.text = text
            self.deed = Mutex(deed)
        }

        func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            if case .data(let data)? = call.body?.content, String(decoding: data, as: UTF8.self).contains(text) {
                let deed = deed.withLock { deed in
                    defer { deed = nil }
                    return deed
                }
                await deed?()
            }
            return try await transport.send(call)
        }
    }

    func testARecordThatIsDeletedBeforeItsUpdateIsMadeAgain() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        let environment = NetworkEnvironment(host: "embedded.invalid", version: "v1")
        let other = Stock(NetworkConfiguration(environment: environment, transport: transport), bucket: "shop")
        let old = try await other.create(try StockContract.record("A", title: "Old")).record
        let overtaken = OvertakenTransport(transport, before: "If-Match") { _ = try? await other.delete(old.sku) }
        let stock = Stock(NetworkConfiguration(environment: environment, transport: overtaken), bucket: "shop")
        let row = ImportWriter.Row(number: 2, record: try StockContract.record("A", title: "New"))
        var summary = ImportSummary()
        let rejected = try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(rejected.map(\.row), [])
        XCTAssertEqual([summary.created, summary.updated], [1, 0])
        let stored = try await stock.fetch(old.sku)
        XCTAssertEqual(stored.record, row.record)
    }
}
