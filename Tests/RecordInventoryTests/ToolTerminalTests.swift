import TestSupport
import XCTest

@testable import RecordInventory

/// The built tool in a terminal.
final class ToolTerminalTests: TimedTestCase {
    func testATerminalShowsAgainWhatIsTypedHoweverOftenControlCWasTypedAtAPassword() throws {
        let (keyboard, terminal) = try Self.terminal()
        let process = Process()
        process.executableURL = try XCTUnwrap(Tool.executable, "the tool was not built beside its tests")
        process.arguments = ["list", "--server", "http://127.0.0.1:1/v1", "--password-stdin"]
        process.environment = ["RECORD_INVENTORY_USER": "shop"]
        process.standardInput = terminal
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal
        try process.run()
        process.killAfterTwoMinutes()
        var shown = Data()
        while !String(decoding: shown, as: UTF8.self).contains("Password of shop: ") {
            var ready = pollfd(fd: keyboard.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 60_000) == 1 else { return XCTFail("the tool does not ask for the password") }
            shown += keyboard.availableData
        }
        XCTAssertFalse(Self.showsTyping(terminal), "the terminal shows typing at the question")
        // Any of these signals may end the process, so its exit code is not checked.
        while process.isRunning { kill(process.processIdentifier, SIGINT) }
        XCTAssertTrue(Self.showsTyping(terminal), "afterwards")
    }

    func testATerminalThatHasJustStoppedShowingWhatIsTypedCanBeMadeToShowIt() throws {
        let (keyboard, terminal) = try Self.terminal()
        let input = Input.descriptor(terminal.fileDescriptor)
        let end = ContinuousClock.now + .seconds(60)
        for _ in 0..<2000 {
            let asking = Thread { input.echo(false) }
            asking.start()
            while Self.showsTyping(terminal) {
                guard ContinuousClock.now < end else { return XCTFail("the terminal still shows typing") }
            }
            Input.showTyping()
            if !Self.showsTyping(terminal) { return XCTFail("the terminal would stay without echo") }
            while !asking.isFinished {
                guard ContinuousClock.now < end else { return XCTFail("the thread does not end") }
            }
            input.echo(true)
        }
        withExtendedLifetime(keyboard) {}
    }

    func testALongTableGoesThroughThePager() throws {
        let folder = try TemporaryFolder()
        let tool = Tool(store: folder.path("stock.sqlite"))
        let rows = (10..<40).map { "LP-\($0),A,T,1,EUR" }.joined(separator: "\n")
        XCTAssertEqual(try tool.run("import", "-", input: "sku,artist,title,price,currency\n\(rows)\n").exitCode, 0)
        for (arguments, isPaged) in [
            (["list"], true), (["list", "--no-pager"], false), (["list", "--limit", "9"], false),
            (["list", "--output", "tsv"], false),
        ] {
            let (keyboard, terminal) = try Self.terminal()
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            XCTAssertEqual(ioctl(terminal.fileDescriptor, UInt(TIOCSWINSZ), &size), 0)
            let process = Process()
            process.executableURL = Tool.executable
            process.arguments = arguments + ["--store", tool.store]
            process.environment = ["PAGER": "sed s/^/paged:/", "PATH": "/usr/bin:/bin"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = terminal
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.killAfterTwoMinutes()
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 0)
            let shown = String(decoding: keyboard.availableData, as: UTF8.self)
            XCTAssertTrue(shown.contains("LP-10"), shown)
            XCTAssertEqual(shown.contains("paged:LP-10"), isPaged, "\(arguments): \(shown)")
        }
    }

    /// Returns the two ends of a pseudoterminal: the end of the keyboard and the screen, and the end of the programs.
    private static func terminal() throws -> (FileHandle, FileHandle) {
        var (keyboard, terminal): (Int32, Int32) = (-1, -1)
        try XCTSkipIf(openpty(&keyboard, &terminal, nil, nil, nil) != 0, "no pseudoterminal is available")
        return (
            FileHandle(fileDescriptor: keyboard, closeOnDealloc: true),
            FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
        )
    }

    private static func showsTyping(_ terminal: FileHandle) -> Bool {
        var mode = termios()
        XCTAssertEqual(tcgetattr(terminal.fileDescriptor, &mode), 0)
        return mode.c_lflag & tcflag_t(ECHO) != 0
    }
}
