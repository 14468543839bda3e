import Foundation
import Synchronization

/// A thread that works within libcurl. The process ends only while none does.
///
/// `exit` runs the handler of OpenSSL, which frees what all connections share, while other threads go on. A thread
/// that is within libcurl then reads or frees the same memory, and the process ends with a signal in place of its
/// status.
enum CurlThread {
    private struct State {
        /// The number of threads within libcurl.
        var working = 0
        var isProcessEnding = false
    }

    private static let state = Mutex(State())

    /// Starts a thread, which the process waits for at its end, except while it waits itself.
    static func start(named name: String, _ work: @escaping @Sendable () -> Void) {
        Thread {
            Thread.current.name = name
            // OpenSSL writes to closed sockets with libcurl before 7.87. The signal would end the process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            enter()
            work()
            leave()
        }.start()
    }

    /// Runs `wait` on such a thread. The process may end meanwhile. Then the thread stays here.
    static func allowExit(during wait: () -> Void) {
        leave()
        wait()
        enter()
    }

    /// Has `exit` wait for the threads. Called once, after libcurl is initialized: handlers run in reverse order, so
    /// that this one comes before OpenSSL's.
    static func registerExit() {
        atexit {
            CurlThread.state.withLock { $0.isProcessEnding = true }
            // A thread that calls `exit` within libcurl would wait for itself, and a file may be slow to read.
            for _ in 0..<1_000 where CurlThread.state.withLock({ $0.working > 0 }) { usleep(1_000) }
        }
    }

    private static func enter() {
        let isProcessEnding = state.withLock { state in
            if !state.isProcessEnding { state.working += 1 }
            return state.isProcessEnding
        }
        while isProcessEnding { sleep(1_000) }
    }

    private static func leave() {
        state.withLock { $0.working -= 1 }
    }
}
