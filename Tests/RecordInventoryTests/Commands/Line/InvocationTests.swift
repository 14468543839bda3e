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
        XCTAssertEqual(before.options, GlobalOptions(store: "a.sqlite", output: OutputStyle(format: .json)))
        XCTAssertEqual(before.action, .run(ListCommand()))
    }

    func testTheValueOfAGlobalOptionIsNotTheCommand() throws {
        XCTAssertEqual(try Invocation(["--bucket", "list", "show", "A"]).options.bucket, "list")
        XCTAssertEqual(try Invocation(["--bucket=list", "show", "A"]).options.bucket, "list")
    }

    func testHelpAndVersion() throws {
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

    func testWithoutACommandItNamesThem() {
        for arguments in [[], ["--json"], ["--"]] {
            XCTAssertThrowsError(try Invocation(arguments)) {
                XCTAssertTrue("\($0)".hasPrefix("which command? import, export"), "\($0)")
            }
        }
    }

    func testAnUnknownNameComesWithTheNearMissAndTheHelpToRead() {
        let cases: [([String], String)] = [
            (["lisst"], "there is no command \"lisst\"; did you mean list?\nTry 'record-inventory --help'."),
            (["sale", "A"], "there is no command \"sale\"; did you mean sell?\nTry 'record-inventory --help'."),
            (["ls"], "there is no command \"ls\"; did you mean list?\nTry 'record-inventory --help'."),
            (["remove"], "there is no command \"remove\"; did you mean delete?\nTry 'record-inventory --help'."),
            (["frobnicate"], "there is no command \"frobnicate\"\nTry 'record-inventory --help'."),
            ([""], "there is no command \"\"\nTry 'record-inventory --help'."),
            (["help", "sel"], "there is no command \"sel\"; did you mean sell?\nTry 'record-inventory --help'."),
            (["help", "sell", "extra"], "help takes no argument \"extra\"\nTry 'record-inventory --help'."),
            (
                ["list", "--limt", "2"],
                "there is no option \"--limt\"; did you mean --limit?\nTry 'record-inventory list --help'."
            ),
            (["--jsn", "list"], "there is no option \"--jsn\"; did you mean --json?\nTry 'record-inventory --help'."),
            (["-n", "2", "sell", "A"], "-n belongs to a command and stands after it\nTry 'record-inventory --help'."),
        ]
        for (arguments, message) in cases {
            XCTAssertThrowsError(try Invocation(arguments), "\(arguments)") { XCTAssertEqual("\($0)", message) }
        }
    }

    func testAControlCharacterInAnUnknownNameIsNotRepeated() {
        XCTAssertThrowsError(try Invocation(["\u{1B}[2Jx"])) { XCTAssertFalse("\($0)".contains("\u{1B}")) }
    }

    func testVerbosityAndColor() throws {
        XCTAssertEqual(try Invocation(["list", "--quiet"]).options.verbosity, .quiet)
        XCTAssertEqual(try Invocation(["list", "--verbose"]).options.verbosity, .verbose)
        XCTAssertEqual(try Invocation(["list"]).options.verbosity, .normal)
        XCTAssertFalse(try Invocation(["list", "--no-color"]).options.allowsColor)
        XCTAssertThrowsError(try Invocation(["list", "--quiet", "--verbose"]))
    }

    func testABucketIsANameThatKintoTakes() throws {
        XCTAssertEqual(try Invocation(["list", "--bucket", "shop-2_b"]).options.bucket, "shop-2_b")
        for name in ["", "-shop", "a/b", "a b", "übung", "a\n"] {
            XCTAssertThrowsError(try Invocation(["list", "--bucket=\(name)"]), name)
        }
    }

    func testAnEmptyValueOfAGlobalOptionIsNone() {
        for (arguments, message) in [
            (["list", "--store="], "--store requires a value: FILE"),
            (["list", "--server", ""], "--server requires a value: URL"),
            (["list", "--bucket="], "--bucket requires a value: NAME"),
            (["list", "--store"], "--store requires a value: FILE"),
        ] {
            XCTAssertThrowsError(try Invocation(arguments)) {
                XCTAssertEqual(($0 as? UsageError)?.message, message)
            }
        }
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
