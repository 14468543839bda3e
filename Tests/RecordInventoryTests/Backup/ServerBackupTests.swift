import RecordKitJSON
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// Backups of a shop on a server.
final class ServerBackupTests: TimedTestCase {
    func testWhatChangesWhileItIsReadIsReadAgain() async throws {
        let folder = try TemporaryFolder()
        for part in Self.parts {
            let file = folder.url.appending(path: "\(UUID()).sqlite")
            let network = NetworkConfiguration(over: EmbeddedTransport(EmbeddedStore(file: file)))
            try await check(network, part, folder)
        }
    }

    /// A box is sold without a record. The embedded store doesn't list such sales alone.
    func testKintoReadsAgainWhatChanges() async throws {
        guard let kinto = try LiveKinto.find(for: "backups of a shop that sells") else { return }
        let folder = try TemporaryFolder()
        for part in Self.parts {
            for changesRecords in [true, false] {
                try await check(kinto.network, part, folder, changesRecords: changesRecords, sellsBox: true)
            }
        }
    }

    /// The request before which others sell, and how often it is passed on: before the list of movements, between the
    /// lists, after the records, and while changes are read.
    private static let parts = [
        ("movements/records?_sort=id", 0), ("records/records?_sort=id", 0), ("records/records?gt_last_modified", 0),
        ("closings/records?_limit=1", 1),
    ]

    /// Sells at other tills while the lists are read, and expects the copy to be of one moment.
    private func check(
        _ network: NetworkConfiguration, _ part: (text: String, skipped: Int), _ folder: TemporaryFolder,
        changesRecords: Bool = true, sellsBox: Bool = false
    ) async throws {
        let bucket = "backup-\(UUID().uuidString.lowercased())"
        let till = Stock(network, bucket: bucket)
        for sku in ["A", "B", "C", "D"] {
            _ = try await till.create(try StockContract.record(sku, quantity: 5))
        }
        @Sendable func put(_ path: String, _ data: JSONValue) async throws {
            _ = try await till.server.value(
                for: Batch(requests: [BatchRequest(.put, RequestPath(percentEncoded: path), body: ["data": data])]))
        }
        let closings = "/buckets/\(bucket)/collections/closings"
        try await put(closings, [:])
        var overtaken = network
        overtaken.transport = CannedTransport(over: network.transport, before: part.text, skipping: part.skipped) {
            do {
                if changesRecords {
                    _ = try await till.move(try SKU("A"), by: -2)
                    _ = try await till.delete(try SKU("B"))
                    _ = try await till.move(try SKU("C"), by: -1)
                    _ = try await till.move(try SKU("C"), by: 1)
                    _ = try await till.create(try StockContract.record("E", quantity: 1))
                }
                if sellsBox {
                    let price = Money(amount: 100, currency: try Currency("EUR"))
                    let box = CopyMove(kind: .sale, lines: [CopyLine(.sale, price, name: "box")])
                    _ = try await till.change {
                        try await till.look()
                    } plan: {
                        try box.plan($0, till.source.numbered)
                    }
                }
                try await put(closings + "/records/1", ["number": 1])
            } catch {
                XCTFail("\(part): \(error)")
            }
        }
        let copy = try ShopCopy()
        let isRead = try await ServerShop(server: NetworkSession(overtaken), bucket: bucket).read(into: copy)
        XCTAssertTrue(isRead)
        let file = folder.path(bucket)
        try StoreBackup.write(copy.database, to: file)
        XCTAssertEqual(try LedgerReader.differences(inStore: file, bucket: bucket), [:], part.text)
        let now = try ShopCopy()
        _ = try await ServerShop(server: NetworkSession(network), bucket: bucket).read(into: now)
        let summary = try copy.summary(of: bucket)
        XCTAssertEqual(summary, try now.summary(of: bucket), "\(part), records: \(changesRecords)")
        XCTAssertEqual(summary.objects["closings"], 1, part.text)
        XCTAssertEqual(summary.takings.isEmpty, !changesRecords && !sellsBox)
    }

    /// Sells at another till while the question is open. The earlier state that is kept has the sale.
    func testTheEarlierStateIsThatAfterTheQuestion() async throws {
        var till = try Till()
        _ = await till.add("A", "--quantity", "3")
        let path = till.folder.path("backup")
        _ = await till.type("backup", path)
        let transport = till.transport
        till.place = ["--server", "http://store.invalid/v1"]
        let overtaken = CannedTransport(over: transport, before: "records/records?_sort=id", skipping: 1) {
            _ = try? await Stock(over: transport).move(try SKU("A"), by: -1)
        }
        // The embedded store takes none of the requests that follow.
        _ = await till.type(["restore", path], answer: "y\n", over: overtaken)
        let earlier = try XCTUnwrap(till.folder.names.first { $0.hasPrefix("backup.before-") })
        let numbers = try ShopNumbers.of(StoreBackup.read(till.folder.path(earlier)))
        XCTAssertEqual(numbers["shop"]?.copies, 2)
    }

    func testAShopMovesToAServerAndBack() async throws {
        guard let kinto = try LiveKinto.find(for: "backups") else { return }
        let folder = try TemporaryFolder()
        let bucket = "backup-\(UUID().uuidString.lowercased())"
        let embedded = Tool(store: folder.path("stock.sqlite"), options: ["--bucket", bucket])
        let server = try kinto.tool(folder, bucket: bucket)
        let rows = (0..<60).map { "LP-\($0),Ärtist,\"1999, live\",\($0).50,EUR,3\n" }.joined()
        _ = try embedded.run("import", "-", "--quiet", input: "sku,artist,title,price,currency,quantity\n" + rows)
        _ = try embedded.run("sell", "LP-1", "LP-2", "--payment", "cash", "--id", "S1")
        _ = try embedded.run("undo", "S1")
        _ = try embedded.run("payments", "barter")
        _ = try embedded.run("delete", "LP-9", "--yes")
        func shown(_ tool: Tool) throws -> [String] {
            try [["export", "-"], ["history", "--json"], ["payments"]].map { arguments in
                let outcome = try tool.run(arguments[0], arguments.count > 1 ? arguments[1] : "--no-color").expect(0)
                return outcome.results
            }
        }
        let original = try shown(embedded)

        let (store, text) = (folder.path("a"), folder.path("b"))
        XCTAssertEqual(try embedded.run("backup", store).exitCode, 0)
        try server.run("restore", store).expect(0, prints: "\tcopies in stock\t177\t177\n")
        XCTAssertEqual(try shown(server), original)
        XCTAssertEqual(try server.run("doctor", "--dry-run").exitCode, 0)

        try server.run("backup", text).expect(0)
        XCTAssertEqual(try server.run("sell", "LP-3").exitCode, 0, "a restored shop sells")
        XCTAssertEqual(try server.run("restore", text).exitCode, 64)
        try server.run("restore", text, "--yes").expect(0)
        XCTAssertEqual(try shown(server), original)
        XCTAssertEqual(try server.run("sell", "LP-3").exitCode, 0)
        let earlier = try XCTUnwrap(folder.names.first { $0.hasPrefix("b.before-") })
        XCTAssertTrue(try server.run("restore", folder.path(earlier), "--dry-run").results.contains("\t176\t176\n"))

        let copy = Tool(store: folder.path("copy.sqlite"), options: ["--bucket", bucket])
        try copy.run("restore", text).expect(0)
        XCTAssertEqual(try shown(copy), original)
        XCTAssertEqual(try copy.run("doctor", "--dry-run").exitCode, 0)
        XCTAssertEqual(try copy.run("sell", "LP-3").exitCode, 0)
        XCTAssertEqual(try copy.run("list", "--search", "artist 1999", "--limit", "1").results.isEmpty, false)
        XCTAssertEqual(try server.run("backup", text, "--replace", "--server", kinto.address).exitCode, 0)
        let missing = Tool(store: "", environment: server.environment, options: ["--bucket", "missing"])
        XCTAssertEqual(try missing.run("backup", text, "--replace").exitCode, 3)
    }

    /// Another till sells right after the restore. Then one breaks off before the last collection.
    func testARestoreKeepsPermissionsSeesSalesAndPreventsSalesUntilItsEnd() async throws {
        guard let kinto = try LiveKinto.find(for: "restores") else { return }
        let till = try Till(kinto)
        let bucket = till.place[1]
        await till.add("A", "--quantity", "3").expect(.done)
        let path = till.folder.path("backup")
        await till.type("backup", path).expect(.done)
        let stock = Stock(kinto.network, bucket: bucket)
        let records = ShopPath.collection("records", in: bucket)
        let shared = BatchRequest(.patch, records, body: ["permissions": ["read": ["system.Everyone"]]])
        _ = try await stock.server.value(for: Batch(requests: [shared]))
        let transport = kinto.network.transport
        let selling = CannedTransport(over: transport, before: "records/records?_sort=id", skipping: 1) {
            _ = try? await stock.move(try SKU("A"), by: -1)
        }
        await till.type(["restore", path, "--yes"], over: selling)
            .expect(.partlyDone, "the numbers differ from the backup's: a till may have sold since")
        let kept: JSONObject? = try await stock.server.value(for: Get<KintoResponse>(path: records)).body
            .optional("permissions")
        XCTAssertEqual(kept?["read"], ["system.Everyone"])

        let breaking = CannedTransport { call throws(NetworkError) in
            if case .data(let data)? = call.body?.content {
                let text = String(decoding: data, as: UTF8.self)
                let isLock = text.contains("/\(Ledger.lockCollection)/records/")
                if isLock, !text.contains(#""ledger":\#(Ledger.halfRestored)"#) { throw NetworkError.lost }
            }
            return try await transport.exchange(call)
        }
        let broken = await till.type(["restore", path, "--yes"], over: breaking)
        XCTAssertNotEqual(broken.exitCode, .done)
        // All but the lock is there.
        assertEqual(await till.type("list").skus, ["A"])
        await till.type("sell", "A", "--payment", "cash").expect(.failed, "the shop is restored in part only")
        await till.add("B").expect(.failed, "the shop is restored in part only")
        await till.type("restore", path, "--yes").expect(.done)
        await till.type("sell", "A", "--payment", "cash").expect(.done)
        // The shop of a program without locks.
        let removal = BatchRequest(.delete, ShopPath.lock(in: bucket))
        _ = try await stock.server.value(for: Batch(requests: [removal]))
        await till.type("backup", path, "--replace").expect(.done)
        await till.type("restore", path, "--yes").expect(.done)
        await till.type("sell", "A", "--payment", "cash").expect(.done)
    }
}
