import Foundation
import Synchronization

#if canImport(os)
import os
#endif

/// Where messages go.
public protocol NetworkLog: Sendable {
    /// A message is one line, or several from a ``LoggingInterceptor`` at the levels `debug` and `trace`; without a line end
    /// and with sensitive values redacted.
    func write(_ message: String, at level: LogLevel)
}

/// How much a message matters, the least first.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// No message has this level itself; a ``LoggingInterceptor`` at this level adds bodies to what it writes.
    case trace
    /// An attempt that is sent; a ``LoggingInterceptor`` at this level adds headers to what it writes.
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

/// The log of the system: the unified log on Apple's systems, standard error elsewhere.
public struct SystemLog: NetworkLog {
    #if canImport(os)
    private let logger: Logger
    #else
    private static let lock = Mutex(())
    #endif

    /// - Parameters:
    ///   - subsystem: as the unified log names it; elsewhere without effect.
    ///   - category: as the unified log names it; elsewhere without effect.
    public init(subsystem: String = "RecordKit", category: String = "network") {
        #if canImport(os)
        logger = Logger(subsystem: subsystem, category: category)
        #endif
    }

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
        // Messages of several tasks do not mix.
        Self.lock.withLock { _ in
            try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
        }
        #endif
    }
}
