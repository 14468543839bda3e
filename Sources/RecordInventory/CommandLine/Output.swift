import Foundation

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
