import TestSupport
import XCTest

@testable import RecordInventory

final class PagerTests: TimedTestCase {
    private let screen = Transcript()

    /// Returns a console on a terminal with five lines.
    private func console(_ pager: String?, answer: String = "", isTerminal: Bool = true) -> Console {
        var results = screen.output(isTerminal: isTerminal)
        results.rows = { 5 }
        return Console(
            results: results, messages: screen.output(isTerminal: true), input: .texts(answer, isTerminal: true),
            allowsColor: false, pager: pager)
    }

    private func table(_ count: Int) -> Table {
        var table = Table([Table.Column("n")])
        for number in 1...count { table.add(["\(number)"]) }
        return table
    }

    func testOnlyATableLongerThanTheScreenIsPaged() throws {
        let folder = try TemporaryFolder()
        let console = console("cat >\(folder.path("pages"))")
        try console.print(table(3))
        XCTAssertEqual(screen.text, "n\n1\n2\n3\n")
        try console.print(table(4))
        try console.print("and this")
        // The pager has the screen.
        console.note("later")
        console.showProgress("50%")
        XCTAssertEqual(screen.text, "n\n1\n2\n3\n")
        try console.flush()
        XCTAssertEqual(try folder.text(of: "pages"), "n\n1\n2\n3\n4\nand this\n")
        XCTAssertEqual(screen.text, "n\n1\n2\n3\nlater\n")
        try console.print("after")
        XCTAssertTrue(screen.text.hasSuffix("later\nafter\n"), screen.text)
    }

    func testAQuestionWaitsForThePager() throws {
        let folder = try TemporaryFolder()
        let console = console("cat >\(folder.path("pages"))", answer: "y\n")
        try console.print(table(9))
        console.note("9 numbers.")
        XCTAssertEqual(try console.confirm("Take them?"), true)
        XCTAssertEqual(screen.text, "9 numbers.\nTake them? [y/N] ")
        XCTAssertEqual(try folder.text(of: "pages").count, 20)
    }

    func testAPersonWhoLeavesEndsTheOutput() throws {
        signal(SIGPIPE, SIG_IGN)
        let console = console("exit")
        XCTAssertThrowsError(try { for _ in 0..<1_000 { try console.print(table(4)) } }()) {
            XCTAssertEqual(($0 as? FileError)?.isClosedPipe, true, "\($0)")
        }
        XCTAssertThrowsError(try console.flush())
    }

    func testAPipeIsNotPaged() throws {
        let console = console("false", isTerminal: false)
        try console.print(table(9))
        try console.flush()
        XCTAssertEqual(screen.text.split(separator: "\n").count, 10)
    }

    func testThePagerIsTheOneOfTheEnvironment() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("".utf8, to: "less")
        XCTAssertNil(Pager.command(["PATH": folder.url.path]), "it cannot be run")
        chmod(folder.path("less"), 0o755)
        for (environment, command) in [
            (["PATH": "/nowhere:\(folder.url.path)"], "less -FRX"), (["PATH": "/nowhere"], nil), ([:], nil),
            (["PATH": folder.url.path, "PAGER": "LESS=i less -S"], "LESS=i less -S"),
            (["PATH": folder.url.path, "PAGER": "more"], nil), (["PATH": folder.url.path, "PAGER": ""], nil),
            (["PATH": "/bin:/usr/bin", "PAGER": "cat"], nil), (["PAGER": "/bin/sh -c cat"], "/bin/sh -c cat"),
        ] as [([String: String], String?)] {
            XCTAssertEqual(Pager.command(environment), command, "\(environment)")
        }
    }
}
