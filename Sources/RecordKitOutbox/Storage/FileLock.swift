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

    /// Takes the lock, if no one else has it. Returns whether this object has it.
    func take() throws -> Bool {
        try descriptor.withLock { descriptor in
            if descriptor != nil { return true }
            let file = try open()
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                descriptor = file
                return true
            }
            let code = errno
            close(file)
            if code == EWOULDBLOCK { return false }
            throw Self.failure(code)
        }
    }

    func release() {
        // Closing the descriptor ends the lock.
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }

    /// Performs work with the lock. Waits for it, and blocks its thread meanwhile.
    func locked<Value>(_ work: () throws -> Value) throws -> Value {
        let file = try open()
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            if errno != EINTR { throw Self.failure(errno) }
        }
        return try work()
    }

    private func open() throws -> Int32 {
        let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file < 0 { throw Self.failure(errno) }
        return file
    }

    private static func failure(_ code: Int32) -> any Error {
        POSIXErrorCode(rawValue: code).map { POSIXError($0) } ?? CocoaError(.fileReadUnknown)
    }
}
