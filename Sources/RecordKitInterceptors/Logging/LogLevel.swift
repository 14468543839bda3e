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
