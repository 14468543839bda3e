import Foundation
import Synchronization

#if canImport(os)
import os
#endif

/// A destination for log messages.
public protocol NetworkLog: Sendable {
    /// Writes a message.
    ///
    /// - Parameters:
    ///   - message: The message, without a line feed at its end, sensitive values redacted. It is one line, or several
    ///     at the levels `debug` and `trace` of a ``LoggingInterceptor``.
    ///   - level: The level of the message.
    func write(_ message: String, at level: LogLevel)
}

/// The severity of a message, in ascending order. The list of cases is complete.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Bodies. No message has this level itself; a ``LoggingInterceptor`` at this level adds bodies to its messages.
    case trace
    /// An attempt that is sent. A ``LoggingInterceptor`` at this level adds header fields to its messages.
    case debug
    /// An attempt and its result.
    case info
    /// An attempt that the server rejected with the status 400 to 499.
    case warning
    /// An attempt that failed, or that the server responded to with the status 500 or above.
    case error

    /// Returns whether one level is less severe than another.
    ///
    /// - Parameters:
    ///   - one: A level.
    ///   - other: Another level.
    public static func < (one: LogLevel, other: LogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// The system's log: the unified log on Apple's platforms, standard error on others.
public struct SystemLog: NetworkLog {
    #if canImport(os)
    private let logger: Logger
    #else
    private static let lock = Mutex(())
    #endif

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem in the unified log. It has no effect on other platforms. Default: `RecordKit`.
    ///   - category: The category in the unified log. It has no effect on other platforms. Default: `network`.
    public init(subsystem: String = "RecordKit", category: String = "network") {
        #if canImport(os)
        logger = Logger(subsystem: subsystem, category: category)
        #endif
    }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - level: The level of the message.
    public func write(_ message: String, at level: LogLevel) {
        #if canImport(os)
        let type: OSLogType =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .warning: .default
            case .error: .error
            }
        logger.log(level: type, "\(message, privacy: .public)")
        #else
        // The lock keeps messages of several tasks apart.
        Self.lock.withLock { _ in
            try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
        }
        #endif
    }
}
