import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class InvocationTests: TimedTestCase {
    func testGlobalOptionsStandBeforeOrAfterTheCommand() throws {
        let before = try Invocation(["--json", "--store", "a.sqlite", "list"])
        let after = try Invocation(["list", "--store=a.sqlite", "--json"])
        XCTAssertEqual(before.action, after.action)
        XCTAssertEqual(before.options, after.options)
        XCTAssertEqual(
            before.options, GlobalOptions(settings: [.store: "a.sqlite"], output: OutputStyle(format: .json)))
        XCTAssertEqual(before.action, .run(ListCommand()))
    }

    func testTheValueOfAGlobalOptionIsNotTheCommand() throws {
        XCTAssertEqual(try Invocation(["--bucket", "list", "show", "A"]).options.settings[.bucket], "list")
        XCTAssertEqual(try Invocation(["--bucket=list", "show", "A"]).options.settings[.bucket], "list")
    }

    func testHelpAndVersion() throws {
        XCTAssertThrowsError(try Invocation([]))
        XCTAssertEqual(try Invocation(["--help"]).action, .help(nil))
        XCTAssertEqual(try Invocation(["-h"]).action, .help(nil))
        XCTAssertEqual(try Invocation(["help"]).action, .help(nil))
        XCTAssertEqual(try Invocation(["help", "sell"]).action, .help(SellCommand.self))
        XCTAssertEqual(try Invocation(["help", "--json"]).action, .help(nil))
        XCTAssertEqual(try Invocation(["help", "--json", "sell"]).action, .help(SellCommand.self))
        XCTAssertEqual(try Invocation(["help", "sell", "--help"]).action, .help(SellCommand.self))
        XCTAssertEqual(try Invocation(["sell", "--help"]).action, .help(SellCommand.self))
        XCTAssertEqual(try Invocation(["--help", "sell"]).action, .help(SellCommand.self))
        XCTAssertEqual(try Invocation(["--version"]).action, .version)
        XCTAssertEqual(try Invocation(["sell", "--version"]).action, .version)
    }

    func testAfterTwoDashesHelpIsAnOperand() throws {
        XCTAssertEqual(try Invocation(["show", "--", "--help"]).action, .run(ShowCommand(code: try SKU("--help"))))
    }

    func testAControlCharacterInAnUnknownNameIsNotRepeated() {
        XCTAssertThrowsError(try Invocation(["\u{1B}[2Jx"])) { XCTAssertFalse("\($0)".contains("\u{1B}")) }
    }

    func testVerbosityAndColor() throws {
        XCTAssertEqual(try Invocation(["list", "--quiet"]).options.verbosity, .quiet)
        XCTAssertEqual(try Invocation(["list", "--verbose"]).options.verbosity, .verbose)
        XCTAssertEqual(try Invocation(["list"]).options.verbosity, .normal)
        XCTAssertFalse(try Invocation(["list", "--no-color"]).options.allowsColor)
    }

    func testABucketIsANameThatKintoTakes() throws {
        XCTAssertEqual(try Invocation(["list", "--bucket", "shop-2_b"]).options.settings[.bucket], "shop-2_b")
        XCTAssertThrowsError(try Invocation(["list", "--bucket=a\n"]))
    }
}

extension Invocation.Action: Equatable {
    static func == (one: Invocation.Action, other: Invocation.Action) -> Bool {
        func isEqual<Element: Command>(_ one: Element, _ other: any Command) -> Bool { one == other as? Element }
        return switch (one, other) {
        case (.help(let one), .help(let other)): one?.usage.name == other?.usage.name
        case (.version, .version): true
        case (.run(let one), .run(let other)): isEqual(one, other)
        default: false
        }
    }
}
