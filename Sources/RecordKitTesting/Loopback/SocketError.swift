import Foundation

/// The system refused what a `LoopbackServer` needs; mostly because the process has too many open descriptors.
public struct SocketError: Error, Equatable, CustomStringConvertible {
    /// The system call that failed.
    public let operation: String
    /// Its `errno`.
    public let code: Int32

    public var description: String {
        "The loopback server could not start: \(operation) failed, \(String(cString: strerror(code))) (\(code))."
    }
}
