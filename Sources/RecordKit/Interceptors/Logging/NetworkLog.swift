import Foundation
import Synchronization

#if canImport(os)
import os
#endif

/// How much a message matters, the least first.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// No message's own; a ``Logging`` at this level adds bodies to what it writes.
    case trace
    /// An attempt that is sent; a ``Logging`` at this level adds headers to what it writes.
    case debug
    /// An attempt and how it went.
    case info
    /// An attempt that the server refused: 4xx.
    case warning
    /// An attempt that failed, or that the server could not serve: 5xx.
    case error

    public static func < (one: LogLevel, other: LogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// Where messages go.
public protocol NetworkLog: Sendable {
    /// A message is one line, or several from a ``Logging`` at the levels `debug` and `trace`; without a line end,
    /// without secrets.
    func write(_ message: String, _ level: LogLevel)
}

/// The log of the system: the unified log on Apple's systems, standard error elsewhere.
public struct SystemLog: NetworkLog {
    #if canImport(os)
    private let logger: Logger

    /// - Parameters:
    ///   - subsystem: as the unified log names it; elsewhere without effect.
    ///   - category: as the unified log names it; elsewhere without effect.
    public init(subsystem: String = "RecordKit", category: String = "network") {
        logger = Logger(subsystem: subsystem, category: category)
    }

    public func write(_ message: String, _ level: LogLevel) {
        let type: OSLogType =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .warning: .default
            case .error: .error
            }
        logger.log(level: type, "\(message, privacy: .public)")
    }
    #else
    private static let lock = Mutex(())

    /// - Parameters:
    ///   - subsystem: as the unified log names it; elsewhere without effect.
    ///   - category: as the unified log names it; elsewhere without effect.
    public init(subsystem: String = "RecordKit", category: String = "network") {}

    public func write(_ message: String, _ level: LogLevel) {
        var text = message
        text.append("\n")
        // Messages of several tasks do not mix.
        Self.lock.withLock { _ in
            text.withUTF8 { bytes in
                var left = UnsafeRawBufferPointer(bytes)
                while let start = left.baseAddress, !left.isEmpty {
                    let count = Foundation.write(STDERR_FILENO, start, left.count)
                    if count <= 0, errno != EINTR { return }
                    left = UnsafeRawBufferPointer(rebasing: left.dropFirst(max(count, 0)))
                }
            }
        }
    }
    #endif
}
