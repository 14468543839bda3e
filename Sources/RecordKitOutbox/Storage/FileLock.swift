import Foundation
import Synchronization

/// The right to send the entries of a file, for one outbox of all processes.
///
/// The system releases it at the end of the process, so there is no time after which it expires. The lock is on a file
/// beside the database: closing a descriptor of the database itself would end SQLite's locks on it.
final class FileLock: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    init(_ path: String) {
        self.path = path
    }

    deinit {
        release()
    }

    /// Takes the lock. Returns whether this object has it.
    ///
    /// - Parameter waits: Whether to wait until another object releases it, which blocks the thread.
    func take(waits: Bool = false) throws -> Bool {
        try descriptor.withLock { descriptor in
            if descriptor != nil { return true }
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if file >= 0, flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 {
                descriptor = file
                return true
            }
            let code = errno
            if file >= 0 { close(file) }
            if file >= 0, code == EWOULDBLOCK { return false }
            throw POSIXErrorCode(rawValue: code).map { POSIXError($0) } ?? CocoaError(.fileReadUnknown)
        }
    }

    func release() {
        // Closing the descriptor ends the lock.
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }
}
