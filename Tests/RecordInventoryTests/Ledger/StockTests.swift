import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class StockTests: TimedTestCase {
    func testEmbedded() async throws {
        let folder = try TemporaryFolder()
        let store = EmbeddedStore(file: folder.url.appending(path: "stock.sqlite"))
        try await StockContract(network: NetworkConfiguration(over: EmbeddedTransport(store))).run()
    }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "the stock") else { return }
        try await StockContract(network: kinto.network).run()
    }

    func testARecordThatIsChangedBeforeItIsDeletedIsGivenBackAsItWas() async throws {
        let shop = try Till()
        let other = Stock(over: shop.transport)
        let record = try await other.create(try StockContract.record("A", quantity: 2)).record
        let overtaken = CannedTransport(over: shop.transport, before: "If-Match") {
            _ = try? await other.move(record.sku, by: -1)
        }
        let stock = Stock(over: overtaken)
        assertEqual(try await stock.delete(record.sku)?.quantity, 1)
        assertNil(try await stock.find(record.sku))
    }

    /// The version that a killed till took is released, and what was lost is sent again.
    func testADeletionIsWrittenAsASaleIs() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku) }
        let version = try await Stock(over: till.transport).fetch(try SKU("A")).version
        try await till.send(.put, "movements/slot-1", ["last_modified": .integer(version.milliseconds)])
        await till.type("delete", "A", "--yes").expect(.done)
        let losing = LosingTransport(till.transport, [.lostRequest])
        await till.type(
            ["delete", "B", "--yes"], asksWhatWasMade: true, patience: .seconds(30), over: losing
        ).expect(.done)
    }

    func testABatchHasASizeWhateverTheServerSays() async throws {
        for (said, size) in [("25", 12), ("\(Int.min)", 1), ("0", 1), ("\(Int.max)", 499), ("null", 12)] {
            let server = try LoopbackServer(responses: [.json(#"{"settings":{"batch_max_requests":\#(said)}}"#)])
            let network = NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString))
            assertEqual(try await Stock(network, bucket: "shop").batchLimit(), size, said)
        }
    }

    func testTheSKUsOfARequestFitIntoItsURL() throws {
        let skus = (10..<90).map { String(repeating: "盤", count: 62) + "\($0)" }
        let portions = Stock.portions(skus)
        XCTAssertEqual(portions.flatMap { $0 }, skus)
        for portion in portions {
            let query = MovementFilter(oneOfSKUs: try portion.map { try SKU($0) }).query
            XCTAssertLessThan(query.encoded.utf8.count, 4_200)
        }
    }

    func testAnAccountThatMayNotLockChangesNothing() async throws {
        guard let kinto = try LiveKinto.find(for: "the lock") else { return }
        struct Put: InventoryEndpoint {
            typealias ValueType = Void
            let path: RequestPath
            var method: HTTPMethod = .put
            let json: JSONValue
            var body: (any NetworkEncodable)? { json }
        }
        let owner = kinto.network
        let bucket = "lock-\(UUID().uuidString.lowercased())"
        let stock = Stock(owner, bucket: bucket)
        let record = try StockContract.record("A", quantity: 2)
        _ = try await stock.create(record)

        let clerk = LiveKinto(address: kinto.address, user: "clerk-\(bucket)", password: UUID().uuidString)
        let anybody = NetworkConfiguration(environment: NetworkEnvironment(kinto.address))
        try await NetworkSession(anybody).value(
            for: Put(path: "accounts/\(clerk.user)", json: .wrapped(["password": .string(clerk.password)])))
        func allow(_ collection: String) async throws {
            let permissions: JSONValue = ["write": .array([.string("account:\(clerk.user)")])]
            try await NetworkSession(owner).value(
                for: Put(
                    path: "buckets/\(bucket)/collections/\(collection)", method: .patch,
                    json: ["permissions": permissions]))
        }
        var network = owner
        network.headers["Authorization"] = clerk.authorization
        let till = Stock(network, bucket: bucket)
        try await allow("records")
        for change in [
            { _ = try await till.move(record.sku, by: -1) }, { _ = try await till.delete(record.sku) },
            {
                try await till.changeEach([record.sku], size: 2) { look in
                    look.stored.map { .change($0, to: record, [till.source.movement(nil, of: look.sku, .edit, 0)]) }
                } made: { _ in
                }
            },
        ] {
            do {
                try await change()
                XCTFail("changed a record without the lock")
            } catch InventoryError.noLock(isChanged: false) {}
        }
        assertEqual(try await stock.fetch(record.sku).record, record)
        try await allow("locks")
        for change in [
            { _ = try await till.move(record.sku, by: -1) },
            { _ = try await till.create(try StockContract.record("B")) },
        ] {
            do {
                try await change()
                XCTFail("changed a record without a movement")
            } catch InventoryError.noLedger(isChanged: false) {}
        }
        try await allow("movements")
        _ = try await till.create(try StockContract.record("B"))
        assertEqual(try await till.move(record.sku, by: -1).quantity, 1)
    }
}
