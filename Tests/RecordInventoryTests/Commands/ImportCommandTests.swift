import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportCommandTests: TimedTestCase {
    /// An interrupted copy or download leaves such a file.
    func testARowThatTheFileEndsInIsRefused() async throws {
        let till = try Till()
        let header = "sku,artist,title,price,currency,notes"
        let file = try till.file("1,A,T,5,EUR", "2,A,T,1", header: header)
        let outcome = await till.type("import", file, "--currency", "EUR")
        let reason = "4 cells, but row 1 names 6 columns; the file ends within this row"
        XCTAssertTrue(outcome.messages.contains("record-inventory: row 3 (2): \(reason)\n"), outcome.messages)
        XCTAssertEqual(outcome.exitCode, .partlyDone)
        await till.type("import", try till.file("1,A,T,5,EUR,fine", header: header)).expect(.done)
    }

    func testBadRowsWithoutEndCanBeInterrupted() async throws {
        let till = try Till()
        let file = try till.file((0..<100).map { "S-\($0),Artist,Title,much,EUR" }.joined(separator: "\n"))
        let complaints = Transcript()
        let messages = Output(
            isTerminal: false, columns: { 80 },
            write: { text throws(FileError) in
                try complaints.output().write(text)
                withUnsafeCurrentTask { $0?.cancel() }
            })
        let shell = Shell(results: Transcript().output(), messages: messages, input: .texts(), environment: [:])
        let arguments = ["import", file, "--store", till.folder.path("stock.sqlite")]
        assertEqual(await Task { await shell.run(arguments) }.value, .interrupted)
        XCTAssertEqual(complaints.text.split(separator: "\n").count, 1, complaints.text)
    }
}
