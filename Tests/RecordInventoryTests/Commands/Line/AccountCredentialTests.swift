import RecordKit
import RecordKitInterceptors
import TestSupport
import XCTest

@testable import RecordInventory

final class AccountCredentialTests: TimedTestCase {
    private func read(_ source: Settings.Account.PasswordSource, _ input: Input = .texts()) throws -> Credential {
        let messages = Transcript()
        let console = Console(
            results: Transcript().output(), messages: messages.output(isTerminal: input.isTerminal), input: input)
        return try Settings.Account(user: "shop", passwordSource: source).credential(from: console)
    }

    private func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        try Data(text.utf8).write(to: url)
        chmod(url.path, 0o600)
        addTeardownBlock { try FileManager.default.removeItem(at: url) }
        return url.path
    }

    func testAFileHoldsThePasswordInItsFirstLine() throws {
        XCTAssertEqual(try read(.file(file("hunter 2 \n"))), .basic(user: "shop", password: "hunter 2 "))
        XCTAssertEqual(try read(.file(file("hunter2\r\n"))), .basic(user: "shop", password: "hunter2"))
        XCTAssertEqual(try read(.file(file("hunter2"))), .basic(user: "shop", password: "hunter2"))
        XCTAssertThrowsError(try read(.file(file("\n"))))
        XCTAssertThrowsError(try read(.file(file(String(repeating: "x", count: 4_097))))) {
            XCTAssertTrue("\($0)".contains("no password is as long"), "\($0)")
        }
    }

    func testAFileThatOthersCanReadIsRefused() throws {
        let path = try file("hunter2\n")
        for (mode, isRefused) in [(0o640, true), (0o604, true), (0o660, true), (0o600, false), (0o400, false)] {
            chmod(path, mode_t(mode))
            if isRefused {
                XCTAssertThrowsError(try read(.file(path))) {
                    XCTAssertTrue("\(($0 as? CommandFailure)?.message ?? "")".contains("chmod 600 \(path)"), "\($0)")
                }
            } else {
                XCTAssertNoThrow(try read(.file(path)))
            }
        }
    }

    /// Editors on Windows put a byte-order mark before the text.
    func testAByteOrderMarkIsNoPartOfIt() throws {
        XCTAssertEqual(try read(.file(file("\u{FEFF}hunter2\n"))), .basic(user: "shop", password: "hunter2"))
        XCTAssertEqual(
            try read(.standardInput, .texts("\u{FEFF}\u{FEFF}hunter2\n")),
            .basic(user: "shop", password: "\u{FEFF}hunter2"))
        XCTAssertThrowsError(try read(.file(file("\u{FEFF}\n"))))
    }

    /// Decoding would lose characters, and a wrong password would be sent.
    func testAFileInAnotherEncodingSaysSo() throws {
        let folder = try TemporaryFolder()
        for bytes in [[0x70, 0xE4, 0x73, 0x73], [0xFF, 0xFE, 0x70, 0x00]] as [[UInt8]] {
            let path = try folder.write(bytes)
            chmod(path, 0o600)
            XCTAssertThrowsError(try read(.file(path))) {
                XCTAssertEqual(
                    $0 as? CommandFailure,
                    CommandFailure(.failed, "the password of shop is not UTF-8 text: save or send it as UTF-8"))
            }
        }
    }

    /// `<(pass show shop)` in a shell passes a pipe.
    func testAPipeMayStandForTheFile() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("hunter2\n".utf8))
        try pipe.fileHandleForWriting.close()
        XCTAssertEqual(
            try read(.file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")),
            .basic(user: "shop", password: "hunter2"))
    }

    func testAFolderIsNoFile() throws {
        XCTAssertThrowsError(try read(.file("/"))) {
            XCTAssertEqual(
                $0 as? CommandFailure,
                CommandFailure(.failed, "the password of shop: / could not be read: it is a folder"))
        }
    }

    func testAFileThatCannotBeReadIsNamed() {
        XCTAssertThrowsError(try read(.file("/nowhere/password"))) {
            XCTAssertEqual(($0 as? CommandFailure)?.exitCode, .failed)
            XCTAssertTrue(($0 as? CommandFailure)?.message.contains("/nowhere/password") == true, "\($0)")
        }
    }

    func testStandardInputGivesItInOneLine() throws {
        XCTAssertEqual(try read(.standardInput, .texts("hun", "ter2\nrest")), .basic(user: "shop", password: "hunter2"))
        XCTAssertThrowsError(try read(.standardInput))
    }

    func testTheCommandReadsTheLinesAfterThePassword() throws {
        let console = Console(
            results: Transcript().output(), messages: Transcript().output(), input: .texts("hunter2\nA\npay\n"))
        let account = Settings.Account(user: "shop", passwordSource: .standardInput)
        XCTAssertEqual(try account.credential(from: console), .basic(user: "shop", password: "hunter2"))
        XCTAssertEqual([try console.nextLine(), try console.nextLine(), try console.nextLine()], ["A", "pay", nil])
    }

    func testATerminalDoesNotShowIt() throws {
        let echoes = Transcript()
        let input = Input.texts("hunter2\n", isTerminal: true) { on in
            try? echoes.output().write(on ? "on " : "off ")
        }
        XCTAssertEqual(try read(.standardInput, input), .basic(user: "shop", password: "hunter2"))
        XCTAssertEqual(echoes.text, "off on ")
    }

    func testControlZAndControlBackslashAreIgnoredWhileTheTerminalShowsNothing() throws {
        for number in [SIGTSTP, SIGQUIT] {
            let before = signal(number, SIG_DFL)
            defer { signal(number, before) }
            @Sendable func isIgnored() -> Bool {
                let handler = signal(number, SIG_IGN)
                signal(number, handler)
                return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            }
            let input = Input.texts("hunter2\n", isTerminal: true) { _ in XCTAssertTrue(isIgnored(), "\(number)") }
            XCTAssertEqual(try read(.standardInput, input), .basic(user: "shop", password: "hunter2"))
            XCTAssertFalse(isIgnored(), "\(number) afterwards")
        }
    }

    func testATerminalThatWouldNotShowTheQuestionIsNotAsked() {
        let messages = Transcript()
        let input = Input.texts("hunter2\n", isTerminal: true) { _ in XCTFail("nothing is typed") }
        let console = Console(results: Transcript().output(), messages: messages.output(), input: input)
        let account = Settings.Account(user: "shop", passwordSource: .standardInput)
        XCTAssertThrowsError(try account.credential(from: console)) {
            XCTAssertEqual(
                $0 as? CommandFailure,
                CommandFailure(
                    .failed,
                    "the password of shop cannot be asked for, since standard error is no terminal: leave standard "
                        + "error as it is, pipe the password in, or set RECORD_INVENTORY_PASSWORD_FILE"))
        }
        XCTAssertEqual(messages.text, "")
    }

    func testWithoutInputThePasswordIsNotAskedFor() {
        let messages = Transcript().output(isTerminal: true)
        let console = Console(
            results: messages, messages: messages, input: .texts("hunter2\n", isTerminal: true), allowsInput: false)
        let account = Settings.Account(user: "shop", passwordSource: .standardInput)
        XCTAssertThrowsError(try account.credential(from: console)) {
            XCTAssertTrue(
                ($0 as? CommandFailure)?.message.contains("since --no-input forbids questions: leave it out") == true,
                "\($0)")
        }
    }
}
