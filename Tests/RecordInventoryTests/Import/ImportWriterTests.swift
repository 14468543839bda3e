import RecordKitJSON
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportWriterTests: TimedTestCase {
    func testARecordThatIsDeletedBeforeItsUpdateIsMadeAgain() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        let other = Stock(over: transport)
        let old = try await other.create(try StockContract.record("A", title: "Old")).record
        let overtaken = CannedTransport(over: transport, before: "If-Match") { _ = try? await other.delete(old.sku) }
        let stock = Stock(over: overtaken)
        let row = ImportRow(number: 2, record: try StockContract.record("A", title: "New"))
        var summary = ImportSummary()
        try await ImportWriter(stock: stock, policy: .update).write([row], &summary)
        XCTAssertEqual(summary.rejected.map(\.row), [])
        XCTAssertEqual([summary.created, summary.updated], [1, 0])
        assertEqual(try await stock.fetch(old.sku).record, row.record)
    }

    /// Returns a server that responds to every change with this status and body.
    private func server(_ status: Int, _ body: String) throws -> LoopbackServer {
        let answer = #"{"status":\#(status),"headers":{"Retry-After":"30"},"body":\#(body)}"#
        return try LoopbackServer.kinto { request in
            if request.method == .get, request.path == "/v1/" { return .json(#"{"settings":{}}"#) }
            if request.method == .get, request.path.hasSuffix("records/A") {
                let missing = #"{"code":404,"errno":110,"details":{"id":"A","resource_name":"record"}}"#
                return .status(404, headers: ["Content-Type": "application/json"], body: Data(missing.utf8))
            }
            if request.method == .get { return .json(#"{"permissions":{"write":["account:shop"]},"data":{}}"#) }
            return .json(#"{"responses":[{"status":200,"headers":{},"body":{}},\#(answer)]}"#)
        }
    }

    func testARowThatTheServerRefusesIsBadAndAServerThatFailsEndsTheImport() async throws {
        for (status, exitCode, said) in [
            (400, .partlyDone, "row 2 (A): the server says: Odd: no·record-inventory: done"),
            (500, .failed, "the server responded with 500: Odd: no·record-inventory: done"),
            (429, .rateLimited, "the server asks to wait: try again in 30 s"),
        ] as [(Int, ExitCode, String)] {
            let server = try server(
                status, #"{"code":\#(status),"errno":1,"error":"Odd","message":"no\nrecord-inventory: done"}"#)
            let till = try Till(server: server)
            await till.type("import", try till.file("A,B,C,1,EUR")).expect(exitCode, said)
        }
    }

    func testARecordThatNeverStaysAsItWasIsABadRow() async throws {
        let existing =
            #"{"id":"A","last_modified":7,"sku":"A","artist":"B","title":"Other","quantity":1,"status":"for_sale","#
            + #""price":{"amount":100,"currency":"EUR"}}"#
        let server = try server(412, #"{"code":412,"errno":114,"details":{"existing":\#(existing)}}"#)
        let till = try Till(server: server)
        let outcome = await till.type("import", try till.file("A,B,C,1,EUR"), "--on-duplicate", "update")
        XCTAssertEqual(outcome.exitCode, .partlyDone)
        XCTAssertEqual(outcome.results, "0 created, 0 updated, 0 unchanged, 1 rejected\n")
        XCTAssertTrue(outcome.messages.contains("another program keeps changing this record"), outcome.messages)
        let reads = server.requests.filter { $0.method == .get && $0.path.hasSuffix("records/A") }
        XCTAssertEqual(reads, [], "the response contains the record")
    }

    func testAConflictThatTellsOfAnotherRecordDoesNotChangeThatOne() async throws {
        let existing =
            #"{"id":"OTHER","last_modified":7,"sku":"OTHER","artist":"B","title":"Other","quantity":1,"#
            + #""status":"for_sale","price":{"amount":100,"currency":"EUR"}}"#
        let server = try server(412, #"{"code":412,"errno":114,"details":{"existing":\#(existing)}}"#)
        let network = NetworkConfiguration(environment: NetworkEnvironment("\(server.url.absoluteString)/v1"))
        let row = ImportRow(number: 2, record: try StockContract.record("A"), fields: [.title])
        var summary = ImportSummary()
        try await ImportWriter(stock: Stock(network, bucket: "shop"), policy: .update)
            .write([row], &summary)
        XCTAssertEqual(summary.rejected.map(\.row), [2])
        XCTAssertTrue(server.requests.contains { $0.text.contains("records/A") })
        XCTAssertFalse(server.requests.contains { $0.text.contains("records/OTHER") })
    }
}
