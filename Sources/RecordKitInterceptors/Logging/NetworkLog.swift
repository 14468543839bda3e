/// Where messages go.
public protocol NetworkLog: Sendable {
    /// A message is one line, or several from a ``LoggingInterceptor`` at the levels `debug` and `trace`; without a line end
    /// and with sensitive values redacted.
    func write(_ message: String, at level: LogLevel)
}
