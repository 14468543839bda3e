import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// Commands with an id, which are made once.
final class MadeOnceTests: TimedTestCase {
    /// Another process makes a command with the id just before the sale is sent.
    func testASaleThatAnotherProcessMakesIsReported() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "9") }
        let overtaken = CannedTransport(over: till.transport, before: #""kind":"sale""#) {
            _ = await till.type("sell", "A", "--id", "S1")
        }
        let said = await till.type(["sell", "A", "--id", "S1"], over: overtaken)
        XCTAssertTrue(said.messages.contains("Nothing was done again: S1 was made"), said.messages)
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["8", "9"])

        let foreign = CannedTransport(over: till.transport, before: #""kind":"sale""#) {
            _ = await till.type("sell", "A", "--id", "S2")
        }
        let refused = await till.type(["sell", "B", "--id", "S2"], over: foreign)
        XCTAssertEqual(refused.exitCode, .conflict, "one id was entered for two commands")
        XCTAssertTrue(refused.messages.contains("record-inventory doctor"), refused.messages)
        assertEqual(await till.type("history", "--id", "S2", "--fields", "sku").skus, ["A"])
    }

    /// The note of a lost request is nothing that its command has made.
    func testAnAdditionThatWasLostIsMadeUnderItsID() async throws {
        let till = try Till()
        _ = await till.add("OTHER")
        let command = [
            "add", "--sku", "A", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR", "--id", "N1",
        ]
        let losing = LosingTransport(till.transport, [.lostRequest])
        await till.type(command, asksWhatWasMade: true, over: losing).expect(.network, "The change was not made")
        await till.type(command).expect(.done, "Added A.")
        await till.type(command).expect(.done, "Nothing was done again")
    }
}
