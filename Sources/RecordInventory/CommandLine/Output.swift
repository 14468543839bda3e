import Foundation

/// Where text goes: a file descriptor, or the memory of a test.
struct Output: Sendable {
    let isTerminal: Bool
    /// The terminal's width now, in columns: windows change theirs.
    let columns: @Sendable () -> Int
    let write: @Sendable (String) throws(OutputError) -> Void
}

enum OutputError: Error, Equatable {
    /// Nobody reads any more, as after `| head`: there is nothing left to say, and nothing went wrong.
    case closed
    /// The system refused, with this `errno`: a full disk, for example.
    case refused(Int32)
}

extension Output {
    static func descriptor(_ descriptor: Int32, environment: [String: String]) -> Output {
        let assumed = environment["COLUMNS"].flatMap { Int($0) } ?? 80
        return Output(
            isTerminal: isatty(descriptor) == 1,
            columns: {
                var size = winsize()
                guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return assumed }
                return Int(size.ws_col)
            },
            write: { text throws(OutputError) in try writeAll(Array(text.utf8), to: descriptor) })
    }

    /// Writes every byte, however many turns it takes. SIGPIPE has to be ignored, or a closed pipe ends the process.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Whoever shares the descriptor made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            case EPIPE: throw .closed
            case let code: throw .refused(code)
            }
        }
    }
}
