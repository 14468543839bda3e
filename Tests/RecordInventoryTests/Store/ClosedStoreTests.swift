import TestSupport
import XCTest

@testable import RecordInventory

/// A command that has ended leaves no log of SQLite, so that a plain copy of the store has everything.
/// `RECORDKIT_COMMANDS` sets how often each command runs.
final class ClosedStoreTests: TimedTestCase {
    private static let count = ProcessInfo.processInfo.environment["RECORDKIT_COMMANDS"].flatMap { Int($0) } ?? 2
    override var timeLimit: TimeInterval { max(super.timeLimit, Double(Self.count) * 30) }

    /// Commands, their standard input and exit code. `#` is the number of the round.
    private static let commands: [(line: String, input: String, exitCode: Int32)] = [
        ("add --sku N# --artist A --title T --price 1 --currency eur", "", 0), ("edit N# --price 2", "", 0),
        ("delete N# --yes", "", 0), ("show A", "", 0), ("list --search artist", "", 0),
        ("list --sort price --limit 1", "", 0),
        ("sell A B --id S#", "", 0), ("return A --sale S#", "", 0), ("sell A --id U#", "", 0), ("undo U#", "", 0),
        ("restock A", "", 0), ("trade-in A --price 1", "", 0), ("write-off A", "", 0), ("reserve A --for Ada", "", 0),
        ("reserve", "", 0), ("release A", "", 0), ("count A 5000", "", 0), ("history --limit 3", "", 0),
        ("report", "", 0), ("report --html PAGE --replace", "", 0), ("till", "A\nB\ncash 1\ncard\n", 0),
        ("till open --float 1 --till T#", "", 0), ("till close --z --till T#", "", 0), ("drawer in 1 change", "", 0),
        ("payments", "", 0), ("payments kind-#", "", 0), ("discogs-sold --since 2026-01-01 GONE --replace", "", 0),
        ("export OUT --replace", "", 0), ("import OUT --on-duplicate update", "", 0), ("doctor", "", 0),
        ("backup COPY --replace", "", 0), ("restore COPY --yes", "", 0), ("completions --words -- show A", "", 0),
        ("sell missing", "", 3), ("sell A -n 999999", "", 5), ("till", "A\n", 1), ("import PAGE", "", 65),
        ("list --where quantity=x", "", 64),
    ]

    func testNoLogIsLeft() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("stock.sqlite")
        let tool = Tool(store: path)
        for sku in ["A", "B"] {
            try tool.run(
                "add", "--sku", sku, "--artist", "Artist", "--title", "T", "--price", "1", "--currency", "EUR",
                "--quantity", "5000"
            ).expect(0)
        }
        for number in 0..<Self.count {
            for (line, input, exitCode) in Self.commands {
                let words = line.split(separator: " ").map { word in
                    word.allSatisfy(\.isUppercase) && word.count > 2
                        ? folder.path(String(word)) : String(word).replacing("#", with: "\(number)")
                }
                try tool.run(words, input: input).expect(exitCode)
                let left = try folder.names.filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }
                XCTAssertEqual(left, [], line)
                if !left.isEmpty { return }
                for name in try folder.names where name.contains(".before-") { unlink(folder.path(name)) }
            }
        }
    }
}
