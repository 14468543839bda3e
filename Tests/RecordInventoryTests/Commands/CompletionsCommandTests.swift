import TestSupport
import XCTest

@testable import RecordInventory

/// Completions in the real shells, and the manual page. Continuous integration installs what they need.
final class CompletionsCommandTests: TimedTestCase {
    private let folder = try? TemporaryFolder()

    /// Returns a tool whose store has the records `LP-0042`, `LP-0043` on the shelf `Blue`, and `7 inch` on `Red`.
    private func makeTool() throws -> Tool {
        let folder = try XCTUnwrap(folder)
        let tool = Tool(store: folder.path("stock.sqlite"))
        let rows = ["LP-0042,Blue", "LP-0043,Blue", "7 inch,Red"].map { "\($0),A,T,1.00,EUR" }
        let csv = "sku,location,artist,title,price,currency\n" + rows.joined(separator: "\n") + "\n"
        XCTAssertEqual(try tool.run("import", "-", input: csv).exitCode, 0)
        return tool
    }

    /// Runs a program. Returns `nil` if it is missing here.
    private func run(_ program: String, _ arguments: [String], _ tool: Tool) throws -> String? {
        let bin = try XCTUnwrap(Tool.executable).deletingLastPathComponent().path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = [
            "PATH": "\(bin):/usr/local/bin:/usr/bin:/bin", "HOME": try XCTUnwrap(folder).url.path,
            "RECORD_INVENTORY_STORE": tool.store, "LANG": "C.UTF-8",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus != 127 else {
            XCTAssertNotEqual(ProcessInfo.processInfo.environment["CI"], "true", "\(program) is missing")
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns what each shell offers for the last of some words.
    private func offers(_ words: [String], _ tool: Tool) throws -> [String: [String]] {
        let line = (["record-inventory"] + words).map { "'\($0)'" }.joined(separator: " ")
        let last = words.last ?? ""
        let programs = [
            "bash": """
            source <(record-inventory completions bash)
            COMP_WORDS=(\(line)) COMP_CWORD=\(words.count)
            _record_inventory
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
            // The builtins of the completion system exist only while it runs.
            "zsh": """
            compdef() { }
            compadd() { shift; print -l -- "$@" }
            _files() { print -l files }
            source <(record-inventory completions zsh)
            words=(\(line)) CURRENT=\(words.count + 1) PREFIX='\(last)'
            _record_inventory
            """,
            "fish": """
            record-inventory completions fish | source
            complete -C "record-inventory \(words.joined(separator: " "))"
            """,
        ]
        var offers: [String: [String]] = [:]
        for (shell, program) in programs {
            let arguments = shell == "zsh" ? ["-f", "-c", program] : ["-c", program]
            guard let text = try run(shell, arguments, tool) else { continue }
            offers[shell] = text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        XCTAssertNotNil(offers["bash"])
        return offers
    }

    func testCommandsOptionsAndValuesComplete() throws {
        let tool = try makeTool()
        for (words, expected, left) in [
            (["rest"], "restock", nil), (["sell", "LP-"], "LP-0042", "LP-0099"),
            (["show", "LP-0043"], "LP-0043", "LP-0042"),
            (["show", ""], "7\\ inch", "restock"), (["list", "--sort", "artist,-pr"], "artist,-price", "price"),
            (["list", "--sort", "-pr"], "-price", "--price"), (["list", "--sort", "ar"], "artist", "price"),
            (["sell", "--payment", ""], "card", "LP-0042"), (["report", "--by", ""], "genre", "restock"),
            (["history", "--l"], "--limit", "--by"), (["--bucket", "x", "repo"], "report", nil),
            (["import", "--from", ""], "discogs", nil),
            (["list", "--output", ""], "ndjson", "sku"), (["list", "--fields", "ar"], "artist", "command"),
            (["list", "--fields", "sku,ar"], "sku,artist", "artist"),
            (["history", "--fields", "kind,tim"], "kind,time", "kind,title"),
        ] as [([String], String, String?)] {
            for (shell, offers) in try offers(words, tool) {
                // Fish takes any word that begins with a hyphen for an option.
                if shell == "fish", words.last?.hasPrefix("-p") == true { continue }
                // The others quote what they offer themselves.
                let expected = shell == "bash" ? expected : expected.replacing("\\", with: "")
                XCTAssertTrue(offers.contains(expected), "\(shell), \(words): \(offers)")
                if shell != "zsh", let left { XCTAssertFalse(offers.contains(left), "\(shell), \(words): \(offers)") }
            }
        }
    }

    /// Bash divides words at `:` and `=`, and replaces what stands behind. Within quotes it does neither.
    func testPiecesAndQuotesInBash() throws {
        let tool = try makeTool()
        XCTAssertEqual(
            try tool.run("import", "-", input: "sku,artist,title,price,currency\nAB:12,A,T,1.00,EUR\n").exitCode, 0)
        for (line, pieces, expected) in [
            ("sell AB:", ["sell", "AB", ":"], ["12"]), ("sell AB:1", ["sell", "AB", ":", "1"], ["12"]),
            ("sell AB", ["sell", "AB"], ["AB:12"]), ("sell 'AB:", ["sell", "'AB:"], ["AB:12"]),
            ("sell \"7 ", ["sell", "\"7 "], ["7 inch"]), ("sell '7", ["sell", "'7"], ["7 inch"]),
            ("sell 7\\ i", ["sell", "7\\ i"], ["7\\ inch"]),
            ("sell ", ["sell", ""], ["7\\ inch", "AB:12", "LP-0042", "LP-0043"]),
            ("list --fields 'sku,art", ["list", "--fields", "'sku,art"], ["sku,artist"]),
            ("list --output=nd", ["list", "--output", "=", "nd"], ["ndjson"]),
            ("list --output=", ["list", "--output", "="], ["table", "json", "ndjson", "csv", "tsv"]),
            ("list --where stat", ["list", "--where", "stat"], ["status="]),
            ("list --bucket=x sell LP", ["list", "--bucket", "=", "x", "sell", "LP"], []),
        ] {
            let words = (["record-inventory"] + pieces).map { "'\($0.replacing("'", with: #"'\''"#))'" }
            let program = """
                source <(record-inventory completions bash)
                COMP_LINE='record-inventory \(line.replacing("'", with: #"'\''"#))' COMP_POINT=${#COMP_LINE}
                COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(pieces.count)
                _record_inventory
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let offered = try XCTUnwrap(run("bash", ["-c", program], tool)).split(separator: "\n").map(String.init)
            XCTAssertEqual(offered, expected, line)
        }
    }

    func testValuesOfTheStock() throws {
        let tool = try makeTool()
        XCTAssertEqual(try tool.run("payments", "paypal").exitCode, 0)
        let other = Tool(store: try XCTUnwrap(folder).path("other.sqlite"))
        for (tool, words, expected) in [
            (tool, ["show", "7"], "7 inch\n"), (tool, ["show", ""], "7 inch\nLP-0042\nLP-0043\n"),
            (tool, ["count", "--location", "B"], "Blue\n"), (tool, ["sell", "--payment", "pay"], "paypal\n"),
            (other, ["sell", "--payment", "ca"], "cash\ncard\n"), (other, ["show", ""], ""),
            (other, ["--store", tool.store, "show", "LP-0042"], "LP-0042\n"),
            (tool, ["--server", "http://127.0.0.1:1/v1", "show", ""], ""),
            (tool, ["export", "--search", "x", ""], "<file>\n"), (tool, ["help", "rest"], "restock\nrestore\n"),
        ] as [(Tool, [String], String)] {
            let outcome = try tool.run(["completions", "--words", "--"] + words)
            XCTAssertEqual(outcome.exitCode, 0, "\(words): \(outcome.messages)")
            let names = outcome.results.split(separator: "\n").map { $0.prefix { $0 != "\t" } + "\n" }
            XCTAssertEqual(names.joined(), expected, "\(words)")
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: other.store))
    }

    func testAnUnknownShellIsReported() throws {
        let tool = Tool(store: try XCTUnwrap(folder).path("other.sqlite"))
        try tool.run("completions", "csh").expect(64, "take one of bash, zsh, fish")
    }

    func testTheManualPageIsValid() throws {
        let tool = Tool(store: try XCTUnwrap(folder).path("other.sqlite"))
        let page = try tool.run("man").expect(0)
        let file = try XCTUnwrap(folder).url.appending(path: "record-inventory.1")
        try Data(page.results.utf8).write(to: file)
        if let messages = try run("mandoc", ["-Tlint", file.path], tool) { XCTAssertEqual(messages, "") }
        for command in CommandList.all.map({ $0.usage }) {
            XCTAssertTrue(page.results.contains(".It Cm \(command.name)"), command.name)
        }
    }
}
