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
    /// Waits a moment, and returns whether there are more bytes by then.
    var hasMore: @Sendable () -> Bool = { false }
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
            },
            hasMore: {
                // A scanner sends a character each few milliseconds.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&wanted, 1, 50) > 0
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

/// A line of the input that is too long for a code, a word or a password.
struct LineTooLong: Error, CustomStringConvertible {
    /// In bytes.
    let limit: Int

    var description: String { "a line of more than \(limit) bytes was left out; no code and no password is as long" }
}

/// Reads the lines of an input one by one, as a scanner or a script sends them. Lines end with LF, CR LF or CR.
struct LineReader {
    private let input: Input
    private var bytes: [UInt8] = []
    private var mayBeginWithLineFeed = false
    /// Whether the beginning of the line was left out.
    private var isTooLong = false
    private var bytesLeftOut = 0
    /// The rest of a line of several codes.
    private var codes: [String] = []

    /// A longer line is refused. No SKU, no word and no password is as long.
    private static let limit = 4_096

    init(_ input: Input) {
        self.input = input
    }

    /// Returns the next line without its end, or `nil` at the end of the input. A terminal may send lines after its
    /// end.
    ///
    /// - Throws: ``LineTooLong`` for a line that is too long, which is left out as a whole.
    mutating func next() throws -> String? {
        while true {
            if mayBeginWithLineFeed, let first = bytes.first {
                mayBeginWithLineFeed = false
                if first == .lineFeed { bytes.removeFirst() }
            }
            if let end = bytes.firstIndex(where: \.isLineBreak) {
                mayBeginWithLineFeed = bytes[end] == .carriageReturn
                defer { bytes.removeSubrange(...end) }
                return try text(bytes[..<end])
            }
            if bytes.count > Self.limit {
                isTooLong = true
                bytesLeftOut += bytes.count
                bytes = []
            }
            if bytesLeftOut > 1 << 20 {
                // The line may never end. The rest of it is refused too.
                bytesLeftOut = 0
                throw LineTooLong(limit: Self.limit)
            }
            let more = try input.read()
            if more.isEmpty {
                defer { bytes = [] }
                return bytes.isEmpty && !isTooLong ? nil : try text(bytes[...])
            }
            bytes += more
        }
    }

    /// Returns the next code or other line. A scanner may divide codes by tabs.
    ///
    /// - Parameter words: The words after which a tab divides nothing.
    mutating func nextScan(words: [String]) throws -> String? {
        if codes.isEmpty {
            guard let line = try next() else { return nil }
            if !line.isEmpty { try skipLineFeed() }
            let parts = line.split(separator: "\t").map(String.init)
            let isDivided = !parts.dropLast().contains { part in
                part.split(separator: " ").first.map { words.contains($0.lowercased()) } ?? false
            }
            codes = isDivided ? parts : [line]
            if codes.isEmpty { return "" }
        }
        return ScannedCode.reading(of: codes.removeFirst())
    }

    /// Leaves out the line feed of a scanner that ends its lines with CR LF. A terminal passes both as line ends.
    private mutating func skipLineFeed() throws {
        guard input.isTerminal, bytes.isEmpty, input.hasMore() else { return }
        bytes += try input.read()
        if bytes.first == .lineFeed { bytes.removeFirst() }
    }

    private mutating func text(_ line: ArraySlice<UInt8>) throws -> String {
        defer { (isTooLong, bytesLeftOut) = (false, 0) }
        guard !isTooLong, line.count <= Self.limit else { throw LineTooLong(limit: Self.limit) }
        return String(decoding: line, as: UTF8.self)
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
        @Sendable func size(_ side: KeyPath<winsize, UInt16>) -> Int? {
            var size = winsize()
            guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size[keyPath: side] > 0 else { return nil }
            return Int(size[keyPath: side])
        }
        return Output(
            isTerminal: isatty(descriptor) == 1,
            columns: { size(\.ws_col) ?? assumed },
            rows: { size(\.ws_row) ?? .max },
            write: { text throws(FileError) in
                // SIGPIPE must be ignored. Otherwise a closed pipe ends the process here.
                guard Descriptor(borrowing: descriptor).write(Array(text.utf8)) else {
                    throw FileError(path: "-", action: .written, code: errno)
                }
            })
    }
}
