import Foundation
import Synchronization

/// Keeps the end of the process away from threads that are within libcurl.
///
/// `exit` runs the handler of OpenSSL, which frees what all connections share, while other threads go on. A thread
/// that is within libcurl then reads or frees the same memory, and the process ends with a signal in place of its
/// status.
enum ProcessExit {
    private struct State {
        /// The number of threads within libcurl.
        var working = 0
        var hasBegun = false
    }

    private static let state = Mutex(State())

    /// Runs `work`, within which the process waits with its end. Once that has begun, the thread stays here.
    static func held(by work: () -> Void) {
        enter()
        defer { leave() }
        work()
    }

    /// Runs `wait`, within ``held(by:)``: the process may end meanwhile.
    static func allowed(during wait: () -> Void) {
        leave()
        wait()
        enter()
    }

    /// Has `exit` wait for the threads. Called once, after libcurl is initialized: handlers run in reverse order, so
    /// that this one comes before OpenSSL's.
    static func register() {
        atexit {
            ProcessExit.state.withLock { $0.hasBegun = true }
            // A thread that calls `exit` within libcurl would wait for itself, and a file may be slow to read.
            for _ in 0..<1_000 where ProcessExit.state.withLock({ $0.working > 0 }) { usleep(1_000) }
        }
    }

    private static func enter() {
        let hasBegun = state.withLock { state in
            if !state.hasBegun { state.working += 1 }
            return state.hasBegun
        }
        while hasBegun { sleep(1_000) }
    }

    private static func leave() {
        state.withLock { $0.working -= 1 }
    }
}
