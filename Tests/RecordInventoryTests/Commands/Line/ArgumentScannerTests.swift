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
        XCTAssertEqual(try scan("--limit", "2").value("--limit"), "2")
        XCTAssertEqual(try scan("--limit=2").value("--limit"), "2")
        XCTAssertEqual(try scan("--limit=").value("--limit"), "")
        XCTAssertEqual(try scan("--limit=a=b").value("--limit"), "a=b")
        XCTAssertEqual(try scan("-n", "2").value("-n"), "2")
        XCTAssertEqual(try scan("-n2").value("-n"), "2")
        XCTAssertEqual(try scan("-n=2").value("-n"), "2")
    }

    func testAValueMayBeginWithADash() throws {
        XCTAssertEqual(try scan("--limit", "-5").value("--limit"), "-5")
        XCTAssertEqual(try scan("--limit", "-").value("--limit"), "-")
        XCTAssertEqual(try scan("--limit", "--other").value("--limit"), "--other")
    }

    func testAForgottenValueDoesNotSwallowTheNextOption() {
        for arguments in [["--limit", "--json"], ["--limit", "--where=a=b"], ["--limit", "--"], ["--limit"]] {
            XCTAssertThrowsError(try ArgumentScanner(arguments, options: options)) {
                XCTAssertTrue("\($0)".hasPrefix("--limit requires a value: N"), "\($0)")
            }
        }
        XCTAssertEqual(try scan("--limit=--json").value("--limit"), "--json")
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
