import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

/// Returns that name no sale, and what is asked before something is taken back.
final class ReturnTests: TimedTestCase {
    private func sales() async throws -> Till {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9", "--price", "10.00")
        _ = await till.type("sell", "A", "-n", "2", "--id", "S1", "--payment", "card")
        _ = await till.type("sell", "A", "-n", "2", "--id", "S2", "--discount", "5.00", "--payment", "cash")
        return till
    }

    func testAReturnBelongsToTheNewestSales() async throws {
        let till = try await sales()
        let back = await till.type("return", "A", "-n", "3", "--id", "R1")
        XCTAssertEqual(back.messages, "Took back 3 of A for 25.00 EUR; 8 in stock.\n")
        let movements = await till.type("history", "--id", "R1")
        XCTAssertEqual(
            movements.rows.map { [$0[4], $0[5], $0[6], $0[8], $0[12]] },
            [["2", "10.00", "5.00", "cash", "S2-1"], ["1", "10.00", "", "card", "S1-1"]])
        let twice = await till.type("return", "A", "--sale", "S2")
        XCTAssertEqual(twice.exitCode, .conflict, "it would be paid twice: \(twice.messages)")
        let more = await till.type("return", "A", "-n", "2")
        XCTAssertEqual(more.exitCode, .conflict)
        XCTAssertTrue(more.messages.contains("only 1 of A were sold and did not come back, 2 wanted"), more.messages)
        let report = await till.type("report")
        XCTAssertEqual(report.rows.first.map { Array($0.dropFirst()) }, ["takings", "1", "10.00", "EUR"])
        let checked = await till.type("doctor", "--dry-run")
        XCTAssertEqual(checked.exitCode, .done, checked.messages)
    }

    func testCopiesThatWereNotSoldComeBackByForceAlone() async throws {
        let till = try await sales()
        for missing in [["--force"], ["--force", "--price", "1"], ["--force", "--reason", "fair"]] {
            let outcome = await till.type(["return", "A"] + missing)
            XCTAssertEqual(outcome.exitCode, .usage, "\(missing)")
        }
        let forced = await till.type(
            "return", "A", "-n", "5", "--force", "--price", "8.00", "--reason", "fair", "--id", "R1")
        XCTAssertEqual(forced.messages, "Took back 5 of A for 40.00 EUR; 10 in stock.\n")
        let movements = await till.type("history", "--id", "R1")
        XCTAssertEqual(
            movements.rows.map { [$0[4], $0[5], $0[6], $0[12]] },
            [["2", "8.00", "", "S2-1"], ["2", "8.00", "", "S1-1"], ["1", "8.00", "", ""]])
        let undone = await till.type("undo", "R1")
        XCTAssertEqual(undone.exitCode, .done, undone.messages)
        let again = await till.type("return", "A", "-n", "4")
        XCTAssertEqual(again.messages, "Took back 4 of A for 35.00 EUR; 9 in stock.\n")
    }

    /// The last command of a till may be another person's.
    func testUndoWithoutAnIDAsks() async throws {
        let till = try await sales()
        let piped = await till.type("undo")
        XCTAssertEqual(piped.exitCode, .usage)
        XCTAssertTrue(piped.messages.contains("undo without an ID asks only at a terminal"), piped.messages)
        let silent = await till.type("undo", "--no-input", answer: "y\n")
        XCTAssertEqual(silent.exitCode, .usage)
        _ = await till.type("sell", "A", "--till", "other")
        let refused = await till.type("undo", answer: "n\n")
        XCTAssertEqual(refused.exitCode, .failed)
        XCTAssertNotNil(
            refused.messages.firstMatch(
                of:
                    /Till .+, \d{4}-\d\d-\d\d \d\d:\d\d: sale of 2 copies of A, Artist: Title, 15.00 EUR. Take back S2\?/
            ),
            refused.messages)
        let list = await till.type("list")
        XCTAssertEqual(list.rows.first?[13], "4")
    }

    /// Control-C at the counter.
    func testAnInterruptedTillSaysWhatWasSold() async throws {
        let till = try await sales()
        let messages = Transcript()
        let lines = Mutex(["A\npay\n", "A\nA\n"][...])
        let input = Input(
            isTerminal: false,
            read: {
                guard let text = lines.withLock({ $0.popFirst() }) else { throw CancellationError() }
                return Array(text.utf8)
            }, echo: { _ in })
        let shell = Shell(
            results: Transcript().output(), messages: messages.output(), input: input, environment: [:])
        let exitCode = await shell.run(
            ["till", "--store", till.folder.path("stock.sqlite")], run: CommandContext.run)
        XCTAssertEqual(exitCode, .interrupted)
        XCTAssertNotNil(
            messages.text.firstMatch(
                of:
                    /interrupted: 1 sale was made, the last with the id [-\w]+; the 2 copies in the basket were not sold\n/
            ),
            messages.text)
    }
}
