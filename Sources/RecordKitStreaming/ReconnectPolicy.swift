public import RecordKit

/// A rule for when an event stream that ended is requested again.
///
/// ```swift
/// // Ten attempts in a row, for a request with any method.
/// let patient = ReconnectPolicy { $0.attempt <= 10 ? $0.wait : nil }
/// // Half an hour without a connection.
/// let limited = ReconnectPolicy { $0.outage < .seconds(1800) ? $0.wait : nil }
/// ```
///
/// A rule is asked when the server ends a response, and when a connection can't be made or is lost. A connection that
/// is silent for longer than `RequestOptions.timeout` counts as lost. According to the WHATWG standard, any other
/// error ends the sequence, such as a refused status or a response of another type. The status 204 ends it without an
/// error.
public struct ReconnectPolicy: Sendable {
    /// Reconnects requests with a safe method, such as GET, without a limit. Default of
    /// ``RecordKit/NetworkClient/events(for:reconnect:configure:)``.
    ///
    /// Waits as ``Interruption/wait`` says. Ends with an error that isn't transient, such as an untrusted certificate.
    /// Requests with another method, such as POST, aren't sent again.
    public static let standard = ReconnectPolicy(onlySafeMethods: true) { interruption in
        interruption.error?.isTransient == false ? nil : interruption.wait
    }

    /// Doesn't reconnect. The sequence ends with the response, as a chat completion does.
    public static let never = ReconnectPolicy { _ in nil }

    private let onlySafeMethods: Bool
    private let rule: @Sendable (Interruption) -> Duration?

    /// Creates a policy, which applies to requests with any method.
    ///
    /// - Parameter wait: Returns the time until the next attempt, or `nil` to give up. After giving up, the sequence
    ///   fails with the interruption's error. Without an error, it ends.
    public init(wait: @escaping @Sendable (Interruption) -> Duration?) {
        self.init(onlySafeMethods: false, wait)
    }

    private init(onlySafeMethods: Bool, _ rule: @escaping @Sendable (Interruption) -> Duration?) {
        self.onlySafeMethods = onlySafeMethods
        self.rule = rule
    }

    /// An event stream that ended, or an attempt to reconnect that failed.
    public struct Interruption: Sendable {
        /// The number of the attempt to decide on. It starts at 1, and again after each event.
        public let attempt: Int
        /// The error that ended the connection. `nil` if the server ended the response.
        public let error: NetworkError?
        /// The time since the first interruption without an event after it. Zero if this is the first one.
        public let outage: Duration
        /// The usual wait: the time that the server asked for in `retry`, by default 3 seconds.
        ///
        /// It doubles with each attempt, up to a minute or the server's time. The server's time counts as at least
        /// half a second and at most an hour.
        public let wait: Duration

        init(attempt: Int, error: NetworkError?, outage: Duration, retry: Duration?) {
            self.attempt = attempt
            self.error = error
            self.outage = outage
            let first = min(max(retry ?? .seconds(3), .milliseconds(500)), .seconds(3600))
            wait = min(first * (1 << min(attempt - 1, 16)), max(first, .seconds(60)))
        }
    }

    /// Returns the wait before the next attempt, or `nil` if there is none.
    func wait(after interruption: Interruption, of call: NetworkCall) -> Duration? {
        if onlySafeMethods, !call.method.isSafe { return nil }
        return rule(interruption)?.limited
    }
}

extension NetworkError {
    /// Whether the error is what the standard calls a network error: no response, or one that broke off.
    var isOfConnection: Bool {
        switch self {
        case .connection, .badResponse: true
        case .timedOut(let timeout): timeout.limit == .attempt
        case .interceptor(let failure): failure.response == nil && isTransient
        default: false
        }
    }
}
