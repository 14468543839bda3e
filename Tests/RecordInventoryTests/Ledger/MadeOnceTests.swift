import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// Commands with an id, which are made once.
final class MadeOnceTests: TimedTestCase {
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--quantity", "9") }
        return till
    }

    func testTheIDOfAnotherCommandIsRefused() async throws {
        let till = try await till("A", "B")
        _ = await till.type("edit", "B", "--barcode", "4006381333931")
        for command in [["sell", "A", "B"], ["sell", "A", "4006381333931"]] {
            let outcome = await till.type(command + ["--id", "S1"])
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        }
        for command in [
            ["restock", "A"], ["sell", "A"], ["sell", "A", "A"], ["sell", "A", "B", "B"], ["sell", "A", "C"],
            ["reserve", "A", "--for", "Ada"], ["release", "A"],
        ] {
            let outcome = await till.type(command + ["--id", "S1"])
            XCTAssertEqual(outcome.exitCode, .conflict, "\(command): \(outcome.messages)")
            XCTAssertTrue(outcome.messages.contains("S1 belongs to another command"), outcome.messages)
        }
        let list = await till.type("list")
        XCTAssertEqual(list.rows.map { $0[13] }, ["8", "8"])
    }

    func testIDsOfTheToolAreRefused() async throws {
        let till = try await till("1")
        for id in ["opening", "opening-1", "slot", "slot-x", "undo-S1", "undo"] {
            for command in [["sell", "1"], ["reserve", "1", "--for", "Ada"], ["release", "1"]] {
                let outcome = await till.type(command + ["--id", id])
                XCTAssertEqual(outcome.exitCode, .usage, "\(id): \(outcome.messages)")
            }
        }
        let sold = await till.type("sell", "1", "--id", "openings")
        XCTAssertEqual(sold.exitCode, .done, sold.messages)
        let found = await till.type("history", "--id", "opening-1")
        XCTAssertEqual(found.exitCode, .done, found.messages)
    }

    func testTheMissingRecordIsNamed() async throws {
        let till = try await till("X", "Y")
        _ = await till.type("sell", "X", "Y", "--id", "S1")
        _ = await till.type("delete", "Y", "--yes")
        let undone = await till.type("undo", "S1")
        XCTAssertEqual(undone.exitCode, .notFound)
        XCTAssertTrue(undone.messages.contains("no record Y"), undone.messages)
    }

    /// Another process makes a command with the id just before the sale is sent.
    func testASaleThatAnotherProcessMakesIsReported() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        let other = Stock(over: transport)
        for sku in ["A", "B"] { _ = try await other.create(try StockContract.record(sku, quantity: 9)) }
        @Sendable func run(_ stock: Stock, _ sku: String, _ id: String = "S1") async throws -> String {
            let messages = Transcript()
            let context = CommandContext(
                stock: stock, place: .store(path: ""),
                console: Console(results: Transcript().output(), messages: messages.output(), input: .texts()))
            var move = CopyMove(kind: .sale, lines: [CopyMove.Line(code: try SKU(sku))])
            move.id = id
            _ = try await context.run(SellCommand(move: move))
            return messages.text
        }
        let overtaken = OvertakenTransport(transport, before: #""kind":"sale""#) { _ = try? await run(other, "A") }
        let said = try await run(Stock(over: overtaken), "A")
        XCTAssertTrue(said.contains("Nothing was done again: S1 was made"), said)
        let left = try await other.fetch(try SKU("A")).record.quantity
        XCTAssertEqual(left, 8)

        let foreign = OvertakenTransport(transport, before: #""kind":"sale""#) { _ = try? await run(other, "A", "S2") }
        do {
            _ = try await run(Stock(over: foreign), "B", "S2")
            XCTFail("one id was entered for two commands")
        } catch let failure as CommandFailure {
            XCTAssertEqual(failure.exitCode, .conflict)
            XCTAssertTrue(failure.message.contains("record-inventory doctor"), failure.message)
        }
        let entered = try await other.movements(MovementFilter(command: "S2"))
        XCTAssertEqual(entered.map(\.sku.text), ["A"])
    }
}
