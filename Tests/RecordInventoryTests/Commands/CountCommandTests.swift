import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// Counting a shelf, scanned copy by copy.
final class CountCommandTests: TimedTestCase {
    /// A shelf with one copy of each.
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--location", "S") }
        return till
    }

    func testCodesMayBeDividedByTabsOrReturns() async throws {
        let till = try await till("A", "B", "C")
        let counted = await till.scan(["count", "--location", "S"], "A\tB\rC\r")
        counted.expect(.done, "3 copies counted, as expected")
        let long = await till.scan(
            ["count", "--location", "S"], String(repeating: "A\t", count: 3_000) + "\nB\nC\nA\n")
        long.expect(.partlyDone, "more than 4096 bytes")
    }

    func testALostConnectionOrADamagedRecordLosesNoScan() async throws {
        let till = try await till("A", "B")
        try await till.addUnreadable("broken")
        let losing = LosingTransport(till.transport, []) {
            $0.url.path().hasSuffix("/lost") || $0.reads?.contains { $0.hasSuffix("/lost") } == true
        }
        let counted = await till.type(
            ["count", "--location", "S", "--commit"], input: "A\nlost\nbroken\nB\n", over: losing)
        counted.expect(
            .partlyDone, "\"lost\" was not counted: ", "\"broken\" was not counted: ", "2 copies counted, as expected.")
    }

    func testACountThatFailsSaysWhatWasSet() async throws {
        let till = try Till()
        let rows = (1...1_200).map { "S-\($0),A,T,1,EUR,S" }.joined(separator: "\n")
        _ = await till.type("import", try till.file(rows, header: "sku,artist,title,price,currency,location"))
        let count = Kept(0)
        let losing = LosingTransport(till.transport, []) { call in
            guard call.url.path().hasSuffix("/batch"), call.isChange else { return false }
            return count.change { count in
                count += 1
                return count > 1
            }
        }
        let counted = await till.type(["count", "--location", "S", "--commit"], input: "S-1\n", over: losing)
        XCTAssertEqual(counted.exitCode, .network, "the second batch was lost")
        let set = try await Stock(over: till.transport).movements(MovementFilter(kinds: [.count])).count
        XCTAssertTrue(100..<1_199 ~= set, "\(set)")
        XCTAssertTrue(
            counted.messages.contains(": \(set) of 1199 records were set as counted so far"), counted.messages)
    }

    func testARecordThatIsSoldMeanwhileIsLeft() async throws {
        let till = try await till("A", "B")
        let overtaken = CannedTransport(over: till.transport, before: "\"kind\":\"count\"") {
            _ = await till.type("sell", "B")
        }
        let counted = await till.type(["count", "--location", "S", "--commit"], input: "A\nA\nB\nB\n", over: overtaken)
        counted.expect(.partlyDone, "B was changed while you counted; count it again\n", "1 quantity set as counted.\n")
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["2", "0"])
        assertEqual(try await Stock(over: till.transport).differences(), [])
    }

    func testAShelfIsCountedWithoutReadingTheWholeStock() async throws {
        let server = try LoopbackServer.kinto { request in .json(#"{"data":[]}"#) }
        let till = try Till(server: server)
        for (location, query) in [("A-12", "_like_location=%22%25A-12%25%22"), ("Töpfe", "_sort=id&_limit=1000")] {
            await till.scan(["count", "--location", location], "").expect(.done)
            let target = try XCTUnwrap(server.requests.last { $0.path.hasSuffix("/collections/records/records") })
                .target
            XCTAssertTrue(target.contains("?" + query), target)
        }
    }
}
