import TestSupport
import XCTest

@testable import RecordInventory

/// Returns that name no sale, and what is asked before something is taken back.
final class ReturnTests: TimedTestCase {
    /// Control-C at the counter.
    func testAnInterruptedTillSaysWhatWasSold() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "9")
        let messages = Transcript()
        let lines = Kept(["A\npay\n", "A\nA\n"][...])
        let input = Input(
            isTerminal: false,
            read: {
                guard let text = lines.change({ $0.popFirst() }) else { throw CancellationError() }
                return Array(text.utf8)
            }, echo: { _ in })
        let shell = Shell(results: Transcript().output(), messages: messages.output(), input: input, environment: [:])
        assertEqual(await shell.run(["till", "--store", till.folder.path("stock.sqlite")]), .interrupted)
        let sale =
            /interrupted: 1 sale was made, the last with the id [-\w]+; the 2 copies in the basket were not sold\n/
        XCTAssertNotNil(messages.text.firstMatch(of: sale), messages.text)
    }
}
