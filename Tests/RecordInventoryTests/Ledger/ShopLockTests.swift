import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class ShopLockTests: TimedTestCase {
    private static let missing = StubResponse.json(#"{"code":403,"errno":121,"error":"Forbidden"}"#, status: 403)
    private static let conflict = StubResponse.json(#"{"code":409,"errno":122,"error":"Conflict"}"#, status: 409)
    private static let mayNot = StubResponse.text("no", status: 403)
    private static let data = #""data":{"ledger":\#(Ledger.format)}"#
    private static let seen = StubResponse.json(#"{"permissions":{"write":["account:shop"]},\#(data)}"#)
    private static let unseen = StubResponse.json("{\(data)}")

    private static func record(_ title: String, sku: String = "A") -> String {
        #"{"id":"\#(sku)","last_modified":7,"sku":"\#(sku)","artist":"B","title":"\#(title)","quantity":2,"#
            + #""status":"for_sale","price":{"amount":100,"currency":"EUR"}}"#
    }

    private static func batch(_ status: Int, _ body: String) -> StubResponse {
        .json(
            #"{"responses":[{"status":200,"headers":{},"body":{}},{"status":\#(status),"headers":{},"body":\#(body)}]}"#
        )
    }

    /// Returns a server with one record. It responds to requests about the lock, and to batches, with these responses
    /// in turn.
    private func server(lock: [StubResponse], batches: [StubResponse] = []) throws -> LoopbackServer {
        let lock = Kept(lock[...])
        let batches = Kept(batches[...])
        return try LoopbackServer(each: { request in
            switch request.path {
            case "/v1/": .json(#"{"settings":{}}"#)
            case "/v1/batch":
                LoopbackServer.withMovements(
                    batches.change { $0.popFirst() } ?? Self.batch(200, #"{"data":\#(Self.record("Sold"))}"#),
                    to: request)
            case let path where path.hasSuffix("/movements/records/ledger"): Self.seen
            case let path where path.contains("/movements/records/") || path.contains("/drawer/records/"):
                .json(#"{"code":404,"errno":110,"details":{"resource_name":"record"}}"#, status: 404)
            case let path where path.hasSuffix("/collections/locks") || path.hasSuffix("/collections/movements"):
                .json(#"{"data":{}}"#, status: 201)
            case let path where path.hasSuffix("/records") && request.method == .get: .json(#"{"data":[]}"#)
            case let path where path.contains("/locks/"): lock.change { $0.popFirst() } ?? Self.seen
            case _ where request.method == .put: Self.missing
            case let path where path.hasSuffix("/records/B"): .json(#"{"data":\#(Self.record("Title", sku: "B"))}"#)
            default: .json(#"{"data":\#(Self.record("Title"))}"#)
            }
        })
    }

    private func batches(_ server: LoopbackServer) -> Int {
        server.requests.count { $0.isChange && $0.method == .post }
    }

    func testAShopOfAnotherFormatOrRestoredInPartIsNotChanged() async throws {
        let till = try Till()
        await till.add("A", "--quantity", "2").expect(.done)
        let file = try till.file("A,B,D,1,EUR")
        let state = await till.type("history", "--json").results
        for (ledger, said) in [
            (1, "the shop was written by an earlier version of record-inventory (format 1, this one reads 2)"),
            (3, "the shop was written by a later version"), (Ledger.halfRestored, "the shop is restored in part only"),
        ] {
            let lock = Write(path: ShopPath.lock(in: "shop"), data: ["ledger": .integer(ledger)])
            try await Stock(over: till.transport).server.value(for: lock)
            for command in [
                ["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"], ["delete", "A", "--yes"],
                ["delete", "--where", "sku=A", "--yes"], ["import", file, "--on-duplicate", "update"],
                ["sell-voucher", "5 EUR", "--payment", "cash"],
            ] {
                await till.type(command).expect(.failed, said)
            }
        }
        assertEqual(await till.type("history", "--json").results, state)
    }

    func testWhoMayNotLockChangesNothing() async throws {
        let said = "nothing was changed: this account may not write to the shop's collection locks"
        for command in [["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"], ["delete", "A", "--yes"]] {
            let server = try server(lock: [Self.unseen, Self.mayNot])
            try await Till(server: server).type(command).expect(.notAllowed, said)
            XCTAssertEqual(batches(server), 0, "\(command)")
        }
        let taken = Self.batch(412, #"{"code":412,"errno":114,"details":{"existing":\#(Self.record("Other"))}}"#)
        let server = try server(lock: [Self.unseen, Self.unseen, Self.mayNot], batches: [taken])
        let till = try Till(server: server)
        await till.type("import", try till.file("A,B,C,1,EUR"), "--on-duplicate", "update").expect(.notAllowed, said)
        XCTAssertEqual(batches(server), 1, "only the batch with the record is sent")
    }

    func testWhoMayOnlyReadIsNotAllowed() async throws {
        for command in [
            ["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"], ["delete", "A", "--yes"],
            ["add", "--sku", "A", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"],
        ] {
            let server = try server(lock: [], batches: [Self.batch(403, #"{"code":403,"errno":121}"#)])
            try await Till(server: server).type(command).expect(.notAllowed, "this account may not do that")
            XCTAssertEqual(batches(server), 1, "\(command)")
        }
    }

    func testALockThatIsMissingIsMade() async throws {
        for lock in [[Self.missing, Self.missing, Self.conflict], [Self.unseen, Self.conflict]] {
            let server = try server(lock: lock)
            try await Till(server: server).type("sell", "A", "--payment", "card").expect(.done)
            XCTAssertEqual(batches(server), 1)
        }
    }

    func testABatchThatMetAnotherIsSentAgain() async throws {
        for add in [true, false] {
            let server = try server(lock: [], batches: [Self.conflict, Self.conflict])
            let till = try Till(server: server)
            let outcome = add ? await till.add("A") : await till.type("sell", "A", "--payment", "card")
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            XCTAssertEqual(batches(server), 3)
        }
    }

    /// Returns the response to a batch.
    private static func batch(_ parts: [(status: Int, body: String)]) -> StubResponse {
        let responses = parts.map { #"{"status":\#($0),"headers":{},"body":\#($1)}"# }
        return .json(#"{"responses":[\#(responses.joined(separator: ","))]}"#)
    }

    /// Returns the response to a change of a record that has another version by now.
    private static func refusal(existing: String, movement: Int) -> StubResponse {
        batch([(200, "{}"), refused(existing), (movement, #"{"code":\#(movement),"errno":122}"#)])
    }

    private static func refused(_ existing: String) -> (Int, String) {
        (412, #"{"code":412,"errno":114,"details":{"existing":\#(existing)}}"#)
    }

    private static let newer = record("Title").replacing(#""last_modified":7"#, with: #""last_modified":8"#)

    func testARefusalTellsTheRecordSoThereIsNoSecondLook() async throws {
        for (existing, isTold) in [(Self.newer, true), ("null", false)] {
            let server = try server(lock: [], batches: [Self.refusal(existing: existing, movement: 409)])
            try await Till(server: server).type("sell", "A", "--payment", "card").expect(.done)
            XCTAssertEqual(server.requests.count { KintoRequest($0).reads != nil } == 1, isTold)
            XCTAssertEqual(batches(server), 2)
            let last = try XCTUnwrap(server.requests.last?.text)
            XCTAssertEqual(last.contains(#""If-Match":"\"8\"""#), isTold, last)
        }
    }

    /// The movements exist, so the command was made meanwhile, and must not be made twice.
    func testARefusalTellsThatTheCommandWasMade() async throws {
        let newerB = Self.record("Title", sku: "B").replacing(#""last_modified":7"#, with: #""last_modified":8"#)
        let exists = (412, #"{"code":412,"errno":114}"#)
        for (skus, refusal) in [
            (["A"], Self.refusal(existing: Self.newer, movement: 412)),
            // The slot was taken by the command itself.
            (
                ["A", "B"],
                Self.batch([
                    (200, "{}"), Self.refused(Self.newer), Self.refused(newerB), exists, exists,
                    (409, #"{"code":409,"errno":122}"#),
                ])
            ),
        ] {
            let server = try server(lock: [], batches: [refusal])
            let outcome = try await Till(server: server).type(["sell"] + skus + ["--id", "S1", "--payment", "card"])
            outcome.expect(.conflict, "the id S1 belongs to another command")
            XCTAssertEqual(batches(server), 1)
        }
    }

    /// What comes after the part that was refused is made. A slot that stays would be in the way of the next change.
    func testASlotOfARefusedSaleIsRemoved() async throws {
        let written = #"{"data":{"id":"x","last_modified":8}}"#
        let server = try server(
            lock: [],
            batches: [
                Self.batch([
                    (200, "{}"), Self.refused(Self.newer), (200, written), (201, written),
                    (409, #"{"code":409,"errno":122}"#), (201, written),
                ]), Self.batch([(200, written)]),
                Self.batch([(200, "{}")] + Array(repeating: (200, written), count: 5)),
            ])
        try await Till(server: server).type("sell", "A", "--payment", "card", "B").expect(.done)
        let changes = server.requests.filter { $0.isChange && $0.method == .post }.map(\.text)
        XCTAssertEqual(changes.count, 3)
        let sent = try XCTUnwrap(changes.first?.firstMatch(of: /movements\/records\/slot-[^"]*/)?.output)
        XCTAssertTrue(changes[1].contains("DELETE") && changes[1].contains(sent), changes[1])
    }

    func testALockThatIsNeverFreeIsGivenUp() async throws {
        for command in [["sell", "A", "--payment", "card"], ["add", "--sku", "A"], ["add"]] {
            // The server responds after many conflicts, so that a test that fails does not wait forever.
            let server = try server(lock: [], batches: Array(repeating: Self.conflict, count: 350))
            let fields = ["--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"]
            let outcome = try await Till(server: server).type(command + (command[0] == "add" ? fields : []))
            outcome.expect(.conflict, "the change was not made")
            XCTAssertEqual(batches(server), 100, "\(command)")
        }
        let server = try server(lock: [Self.unseen] + Array(repeating: Self.conflict, count: 150))
        try await Till(server: server).type("sell", "A", "--payment", "card").expect(
            .conflict, "the change was not made")
        XCTAssertEqual(batches(server), 0)
    }

    func testSKUsAreNotDrawnForEver() async throws {
        let taken = Self.batch(412, #"{"code":412,"errno":114}"#)
        let server = try server(lock: [], batches: Array(repeating: taken, count: 150))
        let outcome = try await Till(server: server).type(
            "add", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR")
        outcome.expect(.conflict, "the change was not made")
        XCTAssertLessThan(batches(server), 150)
    }
}
