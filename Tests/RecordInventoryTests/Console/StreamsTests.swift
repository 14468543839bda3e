import TestSupport
import XCTest

@testable import RecordInventory

/// `Output` and `Input` on real file descriptors.
final class StreamsTests: TimedTestCase {
    override func setUp() { signal(SIGPIPE, SIG_IGN) }

    func testAPipeCarriesAllBytes() async throws {
        let text = String(repeating: "見本盤 ", count: 20_000)
        // Another process that shares the pipe may have made it nonblocking. Then each write takes a part of the data.
        for flags in [0, O_NONBLOCK] {
            let pipe = Pipe()
            XCTAssertEqual(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFL, flags), 0)
            let writer = Thread {
                try? Output.descriptor(pipe.fileHandleForWriting.fileDescriptor, environment: [:]).write(text)
                try? pipe.fileHandleForWriting.close()
            }
            writer.start()
            let input = Input.descriptor(pipe.fileHandleForReading.fileDescriptor)
            let bytes = try await withTimeLimit {
                var bytes: [UInt8] = []
                while case let more = try input.read(), !more.isEmpty { bytes += more }
                return bytes
            }
            XCTAssertEqual(String(decoding: bytes, as: UTF8.self), text, "flags \(flags)")
            XCTAssertFalse(input.isTerminal)
        }
    }

    func testWritingToAPipeWithoutAReaderIsClosed() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let output = Output.descriptor(pipe.fileHandleForWriting.fileDescriptor, environment: [:])
        XCTAssertThrowsError(try output.write("x")) { XCTAssertEqual(($0 as? FileError)?.isClosedPipe, true) }
    }

    func testErrorsOfTheSystemAreReported() {
        let output = Output.descriptor(1_000_000, environment: [:])
        XCTAssertThrowsError(try output.write("x")) { XCTAssertEqual(($0 as? FileError)?.code, EBADF) }
        XCTAssertThrowsError(try Input.descriptor(1_000_000).read()) {
            XCTAssertEqual($0 as? FileError, FileError(path: "-", action: .read, code: EBADF))
        }
    }

    func testTheWidthIsTheVariablesWhereThereIsNoTerminal() {
        XCTAssertEqual(Output.descriptor(-1, environment: ["COLUMNS": "132"]).columns(), 132)
        XCTAssertEqual(Output.descriptor(-1, environment: [:]).columns(), 80)
        for text in ["0", "-1", "\(Int.min)", "", "wide"] {
            XCTAssertEqual(Output.descriptor(-1, environment: ["COLUMNS": text]).columns(), 80, text)
        }
    }

    func testATerminalThatDoesNotKnowItsWidthHasTheUsualOne() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try XCTSkipIf(terminal < 0, "no pseudo terminal can be had here")
        defer { close(terminal) }
        XCTAssertEqual(Output.descriptor(terminal, environment: [:]).columns(), 80)
    }

    func testACancelledTaskStopsWaitingForInput() async throws {
        let pipe = Pipe()
        let task = Task { try Input.descriptor(pipe.fileHandleForReading.fileDescriptor).read() }
        task.cancel()
        let result = await withTimeLimit { await task.result }
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        try? pipe.fileHandleForWriting.close()
    }

    func testALineMayComeInPiecesAndHasNoEnd() throws {
        var lines = LineReader(.texts("a", "b\r\n", "c\n\nd"))
        XCTAssertEqual([try lines.next(), try lines.next(), try lines.next(), try lines.next()], ["ab", "c", "", "d"])
        XCTAssertNil(try lines.next())
        let endless = Input(isTerminal: false, read: { Array(repeating: 0, count: 1_000) }, echo: { _ in })
        var long = LineReader(endless)
        XCTAssertThrowsError(try long.next())
        XCTAssertThrowsError(try long.next())
    }

    func testALineEndsWithLineFeedOrReturn() throws {
        for texts in [["a\rb\rc"], ["a\r\nb\r\nc\r\n"], ["a\r", "\nb\r", "\n", "c"], ["a\n", "b\r", "c\r"]] {
            var lines = LineReader(.texts(texts))
            XCTAssertEqual([try lines.next(), try lines.next(), try lines.next()], ["a", "b", "c"], "\(texts)")
            XCTAssertNil(try lines.next())
        }
    }

    func testALongLineIsRefusedAsAWhole() throws {
        let long = String(repeating: "x", count: 4_000)
        for texts in [["a\n", long, long, "undo\nb\n"], ["a\n\(long)\(long)undo\nb"]] {
            var lines = LineReader(.texts(texts))
            XCTAssertEqual(try lines.next(), "a")
            XCTAssertThrowsError(try lines.next())
            XCTAssertEqual(try lines.next(), "b")
            XCTAssertNil(try lines.next())
        }
    }

    func testTheLineFeedOfAScannerAtATerminalIsNoLine() throws {
        for hasMore in [true, false] {
            var input = Input.texts("a\n", "\n", "b\n", "c\n", "\n", isTerminal: true)
            input.hasMore = { hasMore }
            var lines = LineReader(input)
            var read: [String] = []
            while let line = try lines.nextScan(words: []) { read.append(line) }
            XCTAssertEqual(read, hasMore ? ["a", "b", "c"] : ["a", "", "b", "c", ""])
        }
    }

    func testTabsDivideCodesAndNoWords() throws {
        for (line, codes) in [
            ("A\tB\t", ["A", "B"]), ("A", ["A"]), ("\t", [""]), ("", [""]), ("pay\tcash", ["pay\tcash"]),
            ("A\tPay 5", ["A", "Pay 5"]), ("A\tpay 5\tB", ["A\tpay 5\tB"]),
        ] {
            var lines = LineReader(.texts(line + "\n"))
            var read: [String] = []
            while let code = try lines.nextScan(words: ["pay"]) { read.append(code) }
            XCTAssertEqual(read, codes, line)
        }
    }

    func testATerminalSendsLinesAfterItsEnd() throws {
        var lines = LineReader(.texts("a", "", "b\n"))
        XCTAssertEqual([try lines.next(), try lines.next()], ["a", "b"])
    }
}
