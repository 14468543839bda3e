import TestSupport
import XCTest

@testable import RecordInventory

final class CommandArgumentsTests: TimedTestCase {
    func testEveryExampleOfTheHelpIsUnderstood() throws {
        var examples = 0
        for command in [nil] + CommandList.all.map(Optional.some) {
            XCTAssertTrue(HelpText.text(of: command).contains("\nExit codes:\n"), "\(command?.usage.name ?? "")")
            for line in HelpText.text(of: command).split(separator: "\n") where line.hasPrefix("  record-inventory ") {
                let words = line.dropFirst("  record-inventory ".count).prefix { $0 != "|" && $0 != ">" }
                XCTAssertNoThrow(try Invocation(shellWords(words)), "\(line)")
                examples += 1
            }
        }
        XCTAssertGreaterThanOrEqual(examples, CommandList.all.count + 10)
    }

    /// Splits at spaces outside single quotes.
    private func shellWords(_ line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}
