import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportCommandTests: TimedTestCase {
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
        let exitCode = await Task { await shell.run(arguments, run: CommandContext.run) }.value
        XCTAssertEqual(exitCode, .interrupted)
        XCTAssertEqual(complaints.text.split(separator: "\n").count, 1, complaints.text)
    }
}
