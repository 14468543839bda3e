import Foundation
import Synchronization

/// A source of bytes: standard input, or memory in tests.
struct Input: Sendable {
    let isTerminal: Bool
    /// Returns the next bytes, or none at the end. Throws `CancellationError` if the task is cancelled meanwhile, and
    /// `FileError` if reading fails.
    let read: @Sendable () throws -> [UInt8]
    /// Sets whether the terminal shows what is typed.
    let echo: @Sendable (_ on: Bool) -> Void
}

extension Input {
    static func descriptor(_ descriptor: Int32) -> Input {
        Input(
            isTerminal: isatty(descriptor) == 1,
            read: { try readAvailable(from: descriptor) },
            echo: { on in
                // Both under one lock, so that no interruption comes between them.
                silentTerminal.withLock { silent in
                    silent = on ? nil : descriptor
                    echo(on, descriptor)
                }
            })
    }

    /// Makes the terminal show again what is typed. Call it before the process ends at once.
    static func showTyping() {
        silentTerminal.withLock { silent in
            if let descriptor = silent { echo(true, descriptor) }
        }
    }

    private static let silentTerminal = Mutex<Int32?>(nil)

    private static func echo(_ on: Bool, _ descriptor: Int32) {
        var mode = termios()
        guard tcgetattr(descriptor, &mode) == 0 else { return }
        if on { mode.c_lflag |= tcflag_t(ECHO) } else { mode.c_lflag &= ~tcflag_t(ECHO) }
        tcsetattr(descriptor, TCSANOW, &mode)
    }

    private static func readAvailable(from descriptor: Int32) throws -> [UInt8] {
        let descriptor = Descriptor(borrowing: descriptor)
        guard descriptor.waitForBytes() else { throw CancellationError() }
        var bytes: [UInt8] = []
        guard descriptor.read(65_536, into: &bytes) != nil else {
            throw FileError(path: "-", action: .read, code: errno)
        }
        return bytes
    }
}

/// Reads the lines of an input one by one, as a scanner or a script sends them.
struct LineReader {
    private let input: Input
    private var bytes: [UInt8] = []

    /// A longer line is cut, or divided. No SKU, no word and no password is as long.
    private static let limit = 4_096

    init(_ input: Input) {
        self.input = input
    }

    /// Returns the next line without its end, or `nil` at the end of the input. A terminal may send lines after its end.
    mutating func next() throws -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return text(bytes[..<end])
            }
            let more = bytes.count < Self.limit ? try input.read() : []
            if more.isEmpty {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : text(bytes[...])
            }
            bytes += more
        }
    }

    private func text(_ line: ArraySlice<UInt8>) -> String {
        let line = line.prefix(Self.limit)
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
}

/// A destination for strings: a file descriptor, or memory in tests.
struct Output: Sendable {
    let isTerminal: Bool
    /// Returns the current width of the terminal, in columns.
    let columns: @Sendable () -> Int
    /// Returns the current height of the terminal, in lines.
    var rows: @Sendable () -> Int = { .max }
    /// Writes a string. The error is `isClosedPipe` if the reader has gone, as after ` head`.
    let write: @Sendable (String) throws(FileError) -> Void
}

extension Output {
    static func descriptor(_ descriptor: Int32, environment: [String: String]) -> Output {
        // A terminal has at least one column.
        let assumed = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
        return Output(
            isTerminal: isatty(descriptor) == 1,
            columns: {
                var size = winsize()
                guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return assumed }
                return Int(size.ws_col)
            },
            rows: {
                var size = winsize()
                return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : .max
            },
            write: { text throws(FileError) in
                // SIGPIPE must be ignored. Otherwise a closed pipe ends the process here.
                guard Descriptor(borrowing: descriptor).write(Array(text.utf8)) else {
                    throw FileError(path: "-", action: .written, code: errno)
                }
            })
    }
}
