import Foundation
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the snippets of `CacheExamples`.
final class CacheExampleTests: TimedTestCase {
    private let record = Record(sku: "LP-0042", quantity: 3)

    /// The second run has no server.
    func testTheAppWorksOfflineAfterItsFirstRun() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKitCache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for run in 1...2 {
            let store = DiskCacheStore(folder: folder)
            let cache = HTTPCache(store: store)
            let stub = StubServer(environment: NetworkEnvironment("https://store.example"))
            stub.respond(to: "/records/LP-0042", with: run == 1 ? try .json(encoding: record) : .refused)
            stub.respond(to: "/records/none", with: .refused)
            var configuration = stub.configuration
            configuration.transport = cache.transport(stub)
            let app = OfflineApp(cache: cache, network: NetworkSession(configuration))
            let found = try await app.record("LP-0042")
            XCTAssertEqual(found, record)
            XCTAssertEqual(stub.requests.count, 1)
            let error = await failure { () async throws(InventoryError) in try await app.record("none") }
            guard case .network(.connection) = error else { return XCTFail("\(String(describing: error))") }
            await store.flush()
            if run == 2 {
                try await app.signOut()
                let usage = await cache.usage
                XCTAssertEqual(usage.count, 0)
            }
        }
    }

    func testAManualClock() async throws {
        let count = try await CacheExamples.withAManualClock()
        XCTAssertEqual(count, 2)
    }

    func testALostUpdateIsMadeAgain() async throws {
        let current = Record(sku: "LP-0042", quantity: 2)
        let stub = StubServer()
        stub.respond(
            to: StubPattern(.put, "/records/LP-0042", headers: ["If-Match": "\"7\""]),
            with: try .json(encoding: current, status: 412).adding(["ETag": "\"8\""]))
        let saved = Record(sku: "LP-0042", quantity: 1)
        stub.respond(
            to: StubPattern(.put, "/records/LP-0042", headers: ["If-Match": "\"8\""]),
            with: try .json(encoding: saved).adding(["ETag": "\"9\""]))
        let editor = RecordEditor(edits: NetworkManager(stub.configuration))
        let copy = try await editor.change(VersionedRecord(record: record, version: "\"7\"")) { $0.quantity -= 1 }
        XCTAssertEqual(copy.version, "\"9\"")
        let body = try XCTUnwrap(stub.requests.last?.body)
        XCTAssertEqual(try JSONDecoder().decode(Record.self, from: body), saved)
    }
}
