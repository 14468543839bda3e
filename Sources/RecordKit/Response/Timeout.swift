/// How a call ran out of time.
public struct Timeout: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Limit: Sendable, Hashable {
        /// The timeout of one attempt; another attempt may help.
        case attempt
        /// The deadline of the whole call, its retries and waits included.
        case deadline
    }

    public let limit: Limit
    /// How long the limit was.
    public let after: Duration
    /// Host and port, such as `store.example:443`.
    public let host: String
    /// Whether the server may have seen the request, in this attempt or an earlier one.
    public internal(set) var mayHaveReachedServer: Bool

    public init(limit: Limit, after: Duration, host: String, mayHaveReachedServer: Bool = true) {
        self.limit = limit
        self.after = after
        self.host = host
        self.mayHaveReachedServer = mayHaveReachedServer
    }

    public var description: String {
        switch limit {
        case .attempt: "\(host) did not answer in full within \(after.shortText)."
        case .deadline: "The call to \(host) was not done within \(after.shortText), its retries and waits included."
        }
    }
}
