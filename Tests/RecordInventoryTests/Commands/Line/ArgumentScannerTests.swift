import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class ArgumentScannerTests: TimedTestCase {
    private let options = [
        Option("--limit", .number, help: ""), Option("-n", .number, help: ""),
        Option("--where", .condition, repeats: true, help: ""),
        Option("--json", help: ""),
    ]

    private func scan(_ arguments: String...) throws -> ArgumentScanner {
        try ArgumentScanner(arguments, options: options)
    }

    func testAValueFollowsOrIsAttached() throws {
        for (arguments, value) in [
            (["--limit", "2"], "2"), (["--limit=2"], "2"), (["--limit="], ""), (["--limit=a=b"], "a=b"),
            (["-n", "2"], "2"), (["-n2"], "2"), (["-n=2"], "2"),
            // A value may begin with a dash.
            (["--limit", "-5"], "-5"), (["--limit", "-"], "-"), (["--limit", "--other"], "--other"),
            (["--limit=--json"], "--json"),
        ] {
            let scanned = try ArgumentScanner(arguments, options: options)
            XCTAssertEqual(scanned.value("--limit") ?? scanned.value("-n"), value, "\(arguments)")
        }
    }

    func testAForgottenValueDoesNotSwallowTheNextOption() {
        for arguments in [["--limit", "--json"], ["--limit", "--where=a=b"], ["--limit", "--"], ["--limit"]] {
            XCTAssertThrowsError(try ArgumentScanner(arguments, options: options)) {
                XCTAssertTrue("\($0)".hasPrefix("--limit requires a value: N"), "\($0)")
            }
        }
    }

    func testOperandsAndOptionsMix() throws {
        let scanned = try scan("a", "--json", "-", "--", "--limit", "-n")
        XCTAssertEqual(scanned.operands, ["a", "-", "--limit", "-n"])
        XCTAssertTrue(scanned.has("--json"))
        XCTAssertFalse(scanned.has("--limit"))
    }

    func testOnlyARepeatableOptionMayBeGivenTwice() throws {
        XCTAssertEqual(try scan("--where", "a=1", "--where=b=2").values("--where"), ["a=1", "b=2"])
        XCTAssertNoThrow(try scan("--json", "--json"))
        XCTAssertThrowsError(try scan("--limit", "1", "--limit", "2")) {
            XCTAssertEqual(($0 as? UsageError)?.message, "--limit is given twice")
        }
    }

    func testAFlagTakesNoValue() {
        XCTAssertThrowsError(try scan("--json=yes")) {
            XCTAssertEqual(($0 as? UsageError)?.message, "--json takes no value")
        }
    }
}
