import TestSupport
import XCTest

@testable import RecordInventory

final class InvocationTests: TimedTestCase {
    func testHelpAndVersion() throws {
        XCTAssertThrowsError(try Invocation([]))
        for (line, action) in [
            ("--help", .help(nil)), ("-h", .help(nil)), ("help", .help(nil)), ("help --json", .help(nil)),
            ("help sell", .help(SellCommand.self)), ("help --json sell", .help(SellCommand.self)),
            ("help sell --help", .help(SellCommand.self)), ("sell --help", .help(SellCommand.self)),
            ("--help sell", .help(SellCommand.self)), ("--version", .version), ("sell --version", .version),
            ("show -- --help", .run(ShowCommand(code: try SKU("--help")))),
        ] as [(String, Invocation.Action)] {
            XCTAssertEqual(try Invocation(line.split(separator: " ").map(String.init)).action, action, line)
        }
    }

    func testAControlCharacterInAnUnknownNameIsNotRepeated() {
        XCTAssertThrowsError(try Invocation(["\u{1B}[2Jx"])) { XCTAssertFalse("\($0)".contains("\u{1B}")) }
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
