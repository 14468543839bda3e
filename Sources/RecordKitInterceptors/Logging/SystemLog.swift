import Foundation
import Synchronization

#if canImport(os)
import os
#endif

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
