import Dispatch
import Foundation
import Synchronization

/// Cancels the running work on Control-C, a closed terminal or a shutdown, and lets it end in order. A second signal
/// ends the process at once.
enum Interruption {
    /// Runs `work` and returns its exit code if it succeeds despite a signal. Otherwise returns `interrupted`.
    static func watching(_ work: @escaping @Sendable () async -> ExitCode) async -> ExitCode {
        let interrupted = Atomic(false)
        let source = DispatchSource.makeReadSource(fileDescriptor: signals.read, queue: .global())
        let before = [SIGINT, SIGTERM, SIGHUP].map { number in (number, listen(to: number)) }
        let task = Task { await work() }
        source.setEventHandler {
            var byte: UInt8 = 0
            guard Foundation.read(signals.read, &byte, 1) == 1 else { return }
            if interrupted.exchange(true, ordering: .relaxed) {
                Input.showTyping()
                _exit(ExitCode.interrupted.rawValue)
            }
            task.cancel()
        }
        source.resume()
        defer {
            for (number, handler) in before { signal(number, handler) }
            source.cancel()
        }
        let exitCode = await task.value
        return interrupted.load(ordering: .relaxed) && exitCode != .done ? .interrupted : exitCode
    }

    /// Handles a signal and returns the previous handler.
    private static func listen(to number: Int32) -> (@convention(c) (Int32) -> Void)? {
        let before = signal(number, SIG_IGN)
        // A signal that was ignored from the start, as with `nohup` or `&` in a script, stays ignored.
        // Swift doesn't compare C functions, so their addresses are compared.
        if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
            signal(number) { _ in
                // A string would be copied to the heap, which the interrupted thread may hold the lock of.
                var byte: UInt8 = 0
                _ = write(Interruption.signals.write, &byte, 1)
            }
        }
        return before
    }

    /// The pipe that the signal handler writes to. It is global, since a handler captures nothing and may do little
    /// more than write. Dispatch's signal sources are no replacement: on Linux the second one in a process received no
    /// signal.
    private static let signals: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return (ends[0], ends[1])
    }()
}
