import Foundation
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

    func testItRunsTheCommandAndHandsItsResultsOut() async {
        let exitCode = await run("show", "A", "--bucket", "cellar") { command, _, settings, console in
            XCTAssertEqual(command as? ShowCommand, ShowCommand(code: try SKU("A")))
            XCTAssertEqual(settings.bucket, "cellar")
            try console.print("A")
            return .partlyDone
        }
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertEqual(results.text, "A\n")
        XCTAssertEqual(messages.text, "")
    }

    func testHelpAndVersionAreResults() async {
        let version = await run("--version")
        XCTAssertEqual(version, .done)
        XCTAssertEqual(results.text, "record-inventory \(Project.version)\n")
        let help = await run("sell", "--help")
        XCTAssertEqual(help, .done)
        XCTAssertTrue(results.text.contains("Usage: record-inventory sell SKU… [OPTIONS]\n"))
        XCTAssertEqual(messages.text, "")
    }

    func testUsageIs64AndRunsNothing() async {
        let exitCode = await run("sell") { _, _, _, _ in
            XCTFail("nothing was to run")
            return .done
        }
        XCTAssertEqual(exitCode, .usage)
        XCTAssertEqual(results.text, "")
        XCTAssertEqual(
            messages.text, "record-inventory: sell requires a SKU\nTry 'record-inventory sell --help'.\n")
    }

    func testAFailureGivesItsExitCodeAndSentence() async {
        let exitCode = await run("show", "A") { _, _, _, _ in throw CommandFailure(.notFound, "there is no record A") }
        XCTAssertEqual(exitCode, .notFound)
        XCTAssertEqual(messages.text, "record-inventory: there is no record A\n")
    }

    func testUnexpectedErrorsAreReported() async {
        let exitCode = await run("list") { _, _, _, _ in throw Unforeseen() }
        XCTAssertEqual(exitCode, .failed)
        XCTAssertEqual(messages.text, "record-inventory: the roof is leaking\n")
    }

    func testAReaderThatWentAwayIsNoFailure() async {
        let exitCode = await run("--help", results: .failing(EPIPE))
        XCTAssertEqual(exitCode, .done)
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
        let exitCode = await run("--help", results: .failing(ENOSPC))
        XCTAssertEqual(exitCode, .failed)
        XCTAssertTrue(
            messages.text.hasPrefix("record-inventory: standard output could not be written: the disk is full"),
            messages.text)
    }

    func testACancelledRunIsInterrupted() async {
        let exitCode = await run("list") { _, _, _, _ in throw CancellationError() }
        XCTAssertEqual(exitCode, .interrupted)
        XCTAssertEqual(messages.text, "")
    }

    func testNoColorMeansNoColour() async {
        for (environment, arguments, hasColor) in [
            ([:], "lisst", true), (["NO_COLOR": "1"], "lisst", false), (["NO_COLOR": ""], "lisst", true),
            (["TERM": "dumb"], "lisst", false), (["CLICOLOR_FORCE": "1", "TERM": "dumb"], "lisst", true),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], "lisst", false),
        ] {
            let before = messages.text.count
            _ = await run(arguments, isTerminal: true, environment: environment)
            XCTAssertEqual(messages.text.dropFirst(before).contains("\u{1B}"), hasColor, "\(environment)")
        }
    }

    func testColorsCanBeForcedOnAPipe() async {
        for (value, hasColor) in [("1", true), ("0", false), ("", false)] {
            let before = messages.text.count
            _ = await run("lisst", environment: ["CLICOLOR_FORCE": value])
            XCTAssertEqual(messages.text.dropFirst(before).contains("\u{1B}"), hasColor, value)
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

    func testTheFlagForNoColour() async {
        _ = await run("list", "--no-color", isTerminal: true) { _, _, _, console in
            console.complain("fault")
            return .failed
        }
        XCTAssertEqual(messages.text, "record-inventory: fault\n")
    }
}
