import Foundation
import Synchronization

/// Where bytes come from: standard input, or the memory of a test.
struct Input: Sendable {
    let isTerminal: Bool
    /// The next bytes, whatever has come so far; none at the end. Throws `CancellationError` when the task is cancelled
    /// while it waits, `FileError` when the system refuses.
    let read: @Sendable () throws -> [UInt8]
    /// Whether a terminal shows what is typed.
    let echo: @Sendable (_ on: Bool) -> Void
}

extension Input {
    static func descriptor(_ descriptor: Int32) -> Input {
        Input(
            isTerminal: isatty(descriptor) == 1,
            read: { try readAvailable(from: descriptor) },
            echo: { on in
                // At once, so that no interruption comes between the two.
                silentTerminal.withLock { silent in
                    silent = on ? nil : descriptor
                    echo(on, descriptor)
                }
            })
    }

    /// Lets the terminal show again what is typed: the last thing that a process does which ends at once.
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

    /// A line without its end, nil at the end of the input. What follows the line may be lost: nobody else reads.
    func line(limit: Int = 4096) throws -> String? {
        var bytes: [UInt8] = []
        while bytes.count < limit, !bytes.contains(UInt8(ascii: "\n")) {
            let more = try read()
            if more.isEmpty { break }
            bytes += more
        }
        guard !bytes.isEmpty else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
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

/// Where text goes: a file descriptor, or the memory of a test.
struct Output: Sendable {
    let isTerminal: Bool
    /// The terminal's width now, in columns: windows change theirs.
    let columns: @Sendable () -> Int
    /// Writes it all. The error says `isClosedPipe` when nobody reads any more, as after `| head`.
    let write: @Sendable (String) throws(FileError) -> Void
}

extension Output {
    static func descriptor(_ descriptor: Int32, environment: [String: String]) -> Output {
        // Nothing can be shown in less than one column.
        let assumed = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
        return Output(
            isTerminal: isatty(descriptor) == 1,
            columns: {
                var size = winsize()
                guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return assumed }
                return Int(size.ws_col)
            },
            write: { text throws(FileError) in
                // SIGPIPE has to be ignored, or a closed pipe ends the process before this can say so.
                guard Descriptor(borrowing: descriptor).write(Array(text.utf8)) else {
                    throw FileError(path: "-", action: .written, code: errno)
                }
            })
    }
}
