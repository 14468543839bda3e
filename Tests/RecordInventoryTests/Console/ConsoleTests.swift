import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class ConsoleTests: TimedTestCase {
    private let results = Transcript()
    private let messages = Transcript()

    private func console(
        isTerminal: Bool = false, input: Input = .texts(), verbosity: Console.Verbosity = .normal,
        allowsColor: Bool = false
    ) -> Console {
        Console(
            results: results.output(isTerminal: isTerminal), messages: messages.output(isTerminal: isTerminal),
            input: input, verbosity: verbosity, allowsColor: allowsColor)
    }

    func testResultsAndMessagesGoTheirOwnWays() throws {
        let console = console()
        try console.print("result")
        console.note("note")
        console.complain("fault")
        XCTAssertEqual(results.text, "result\n", "a message does not overtake a result")
        XCTAssertEqual(messages.text, "note\nrecord-inventory: fault\n")
    }

    func testResultsAreHeldBackUntilFlushed() throws {
        let console = console()
        try console.print("one")
        XCTAssertEqual(results.text, "")
        try console.print(String(repeating: "x", count: 70_000))
        XCTAssertEqual(results.text.count, 70_005)
        try console.print("two")
        try console.flush()
        XCTAssertTrue(results.text.hasSuffix("x\ntwo\n"))
    }

    func testATerminalSeesResultsAtOnce() throws {
        try console(isTerminal: true).print("one")
        XCTAssertEqual(results.text, "one\n")
    }

    func testQuietAndVerbose() {
        let say = { (console: Console) in
            console.detail("detail")
            console.note("note")
            console.complain("fault")
        }
        say(console(verbosity: .quiet))
        XCTAssertEqual(messages.text, "record-inventory: fault\n")
        say(console(verbosity: .verbose))
        XCTAssertEqual(messages.text, "record-inventory: fault\ndetail\nnote\nrecord-inventory: fault\n")
    }

    func testColoursOnATerminalOnlyAndOnlyWhenAllowed() {
        console(isTerminal: true, allowsColor: true).complain("fault")
        XCTAssertEqual(messages.text, "\u{1B}[31mrecord-inventory:\u{1B}[0m fault\n")
        let plain = Transcript()
        Console(results: plain.output(), messages: plain.output(), input: .texts()).complain("fault")
        XCTAssertEqual(plain.text, "record-inventory: fault\n")
    }

    func testAMessageKeepsItsLinesAndCannotDriveTheTerminal() {
        console().complain("no \u{1B}[2J\nTry again")
        console().note("no \u{1B}[2J")
        XCTAssertEqual(messages.text, "record-inventory: no \\u001b[2J\nTry again\nno \\u001b[2J\n")
    }

    func testJSONIsEscapedOnATerminalOnly() throws {
        try console(isTerminal: true).print(json: "\"\u{9B}\"")
        XCTAssertEqual(results.text, "\"\\u009b\"\n")
        let piped = console()
        try piped.print(json: "\"\u{9B}\"")
        try piped.flush()
        XCTAssertTrue(results.text.hasSuffix("\"\u{9B}\"\n"))
    }

    func testAFailureToWriteIsThrownOnceAndForAll() throws {
        let console = Console(results: .failing(ENOSPC), messages: messages.output(), input: .texts())
        try console.print("one")
        console.note("note")
        XCTAssertEqual(messages.text, "note\n")
        XCTAssertThrowsError(try console.print("two")) { XCTAssertEqual(($0 as? FileError)?.code, ENOSPC) }
        XCTAssertThrowsError(try console.flush()) { XCTAssertEqual(($0 as? FileError)?.code, ENOSPC) }
    }

    /// A full disk may have room again, but the lost output would leave a gap.
    func testNothingFollowsWhatCouldNotBeWritten() {
        let results = results.output()
        let isFull = Kept(true)
        let output = Output(
            isTerminal: false, columns: { 80 },
            write: { text throws(FileError) in
                if isFull.change({ $0 }) { throw FileError(path: "-", action: .written, code: ENOSPC) }
                try results.write(text)
            })
        let console = Console(results: output, messages: messages.output(), input: .texts())
        XCTAssertNoThrow(try console.print("one"))
        XCTAssertThrowsError(try console.flush())
        isFull.set(false)
        XCTAssertThrowsError(try console.print("two"))
        XCTAssertThrowsError(try console.flush())
        XCTAssertEqual(self.results.text, "")
    }

    func testAQuestionIsAskedOnATerminalOnly() throws {
        XCTAssertNil(try console(input: .texts("y\n")).confirm("Really?"))
        // One stream is not a terminal, as in `yes | record-inventory delete LP-1`, or with the messages in a file.
        for isAtInput in [true, false] {
            let half = Console(
                results: results.output(isTerminal: true), messages: messages.output(isTerminal: !isAtInput),
                input: .texts("y\n", isTerminal: isAtInput))
            XCTAssertNil(try half.confirm("Really?"))
        }
        XCTAssertEqual(messages.text, "")
        for (answer, expected) in ["y\n": true, " YES \n": true, "n\n": false, "\n": false, "": false, "yo\n": false] {
            let console = console(isTerminal: true, input: .texts(answer, isTerminal: true))
            XCTAssertEqual(try console.confirm("Really \u{1B}[2J?"), expected, answer)
        }
        XCTAssertTrue(messages.text.hasPrefix("Really \\u001b[2J? [y/N] "))
    }

    func testProgressIsTheLastLineAndGoesAway() throws {
        let terminal = messages.output(isTerminal: true)
        let console = Console(results: terminal, messages: terminal, input: .texts())
        console.showProgress("50%")
        console.note("note")
        try console.print("result")
        console.showProgress("60%")
        console.showProgress(nil)
        let erased = "\r\u{1B}[K"
        XCTAssertEqual(messages.text, "50%\(erased)note\n50%\(erased)result\n60%\(erased)")
    }

    func testProgressNeedsATerminalThatWantsIt() {
        console().showProgress("50%")
        console(isTerminal: true, verbosity: .quiet).showProgress("50%")
        XCTAssertEqual(messages.text, "")
    }
}
