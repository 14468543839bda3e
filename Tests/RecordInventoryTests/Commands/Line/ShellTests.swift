import TestSupport
import XCTest

@testable import RecordInventory

final class ShellTests: TimedTestCase {
    private struct Unforeseen: Error, CustomStringConvertible {
        let description = "the roof is leaking"
    }

    private let results = Transcript()
    private let messages = Transcript()

    private func run(
        _ arguments: String..., results output: Output? = nil, isTerminal: Bool = false,
        environment: [String: String] = [:],
        command: @Sendable (any Command, GlobalOptions, Settings, Console) async throws -> ExitCode = { _, _, _, _ in
            .done
        }
    ) async -> ExitCode {
        let shell = Shell(
            results: output ?? results.output(), messages: messages.output(isTerminal: isTerminal), input: .texts(),
            environment: environment.merging(["HOME": "/home/shop"]) { given, _ in given })
        return await shell.run(arguments, run: command)
    }

    func testHelpAndVersionAreResults() async {
        let version = await run("--version")
        XCTAssertEqual(version, .done)
        XCTAssertEqual(results.text, "record-inventory \(Project.version)\n")
        assertEqual(await run("sell", "--help"), .done)
        XCTAssertTrue(results.text.contains("Usage: record-inventory sell SKU… [OPTIONS]\n"))
        XCTAssertEqual(messages.text, "")
    }

    func testUnexpectedErrorsAreReported() async {
        assertEqual(await run("list") { _, _, _, _ in throw Unforeseen() }, .failed)
        XCTAssertEqual(messages.text, "record-inventory: the roof is leaking\n")
    }

    func testAReaderThatWentAwayIsNoFailure() async {
        assertEqual(await run("--help", results: .failing(EPIPE)), .done)
        XCTAssertEqual(messages.text, "")
    }

    func testAReaderThatWentAwayLeavesTheExitCodeAsItIs() async {
        let exitCode = await run("list", results: .failing(EPIPE)) { _, _, _, console in
            try console.print("A")
            return .partlyDone
        }
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertEqual(messages.text, "")
    }

    func testAFullDiskIsAFailure() async {
        assertEqual(await run("--help", results: .failing(ENOSPC)), .failed)
        XCTAssertTrue(
            messages.text.hasPrefix("record-inventory: standard output could not be written: the disk is full"),
            messages.text)
    }

    func testACancelledRunIsInterrupted() async {
        assertEqual(await run("list") { _, _, _, _ in throw CancellationError() }, .interrupted)
        XCTAssertEqual(messages.text, "")
    }

    func testNoColorMeansNoColour() async {
        for (environment, option, isTerminal, hasColor) in [
            ([:], "--quiet", true, true), ([:], "--no-color", true, false), (["NO_COLOR": "1"], "--quiet", true, false),
            (["NO_COLOR": ""], "--quiet", true, true), (["TERM": "dumb"], "--quiet", true, false),
            (["CLICOLOR_FORCE": "1", "TERM": "dumb"], "--quiet", true, true),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], "--quiet", true, false),
            // A pipe.
            (["CLICOLOR_FORCE": "1"], "--quiet", false, true), (["CLICOLOR_FORCE": "0"], "--quiet", false, false),
            (["CLICOLOR_FORCE": ""], "--quiet", false, false),
        ] {
            let before = messages.text.count
            _ = await run("list", option, isTerminal: isTerminal, environment: environment) { _, _, _, console in
                console.complain("fault")
                return .failed
            }
            let said = messages.text.dropFirst(before)
            XCTAssertTrue(said.contains("fault"), "\(environment) \(option): \(said)")
            XCTAssertEqual(said.contains("\u{1B}"), hasColor, "\(environment) \(option) \(isTerminal): \(said)")
        }
    }

    func testADumbTerminalIsSentNoProgressThatItCannotTakeAway() async {
        for (environment, progress) in [
            (["TERM": "dumb"], ""), ([:], "half\r\u{1B}[K"), (["NO_COLOR": "1"], "half\r\u{1B}[K"),
        ] {
            let before = messages.text.count
            _ = await run("list", isTerminal: true, environment: environment) { _, _, _, console in
                console.showProgress("half")
                console.showProgress(nil)
                return .done
            }
            XCTAssertEqual(String(messages.text.dropFirst(before)), progress, "\(environment)")
        }
    }
}
