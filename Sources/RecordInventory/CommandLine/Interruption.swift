import Dispatch
import Foundation
import Synchronization

/// Control-C, a closed terminal or a machine that shuts down: cancels the work that runs and lets it end in order. A
/// second one ends the process at once.
enum Interruption {
    /// Runs `work`. Its exit code counts when it went well all the same, else `interrupted` does.
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

    /// Returns the handler that was there.
    private static func listen(to number: Int32) -> (@convention(c) (Int32) -> Void)? {
        let before = signal(number, SIG_IGN)
        // Where it is ignored from the start, as by nohup or for what a script runs with `&`, it is meant for others.
        if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
            signal(number) { _ in _ = write(Interruption.signals.write, "!", 1) }
        }
        return before
    }

    /// The handler of a signal may do little more than write, and captures nothing: so this pipe is global. A signal
    /// source of Dispatch would do once; on Linux the second one in a process saw nothing.
    private static let signals: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return (ends[0], ends[1])
    }()
}
