/// The limits of an ``Outbox``.
public struct OutboxLimits: Sendable, Hashable {
    /// The number of entries, of all accounts. Default: 100,000.
    public var count: Int
    /// The size of all requests with their attachments, in bytes. Default: 256 MB.
    public var bytes: Int
    /// The number of calls at once, each of another lane, and of handlers at once. Default: 4.
    public var concurrency: Int
    /// The number of failures after which an entry is set aside. Default: 12.
    ///
    /// A failure counts if another request of the same kind was answered since the attempt before.
    public var failures: Int
    /// The longest wait between two attempts, unless the server asks for a longer one. Default: 5 minutes.
    public var longestBackoff: Duration

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - count: The number of entries, of all accounts.
    ///   - bytes: The size of all requests with their attachments, in bytes.
    ///   - concurrency: The number of calls at once, and of handlers at once.
    ///   - failures: The number of failures after which an entry is set aside.
    ///   - longestBackoff: The longest wait between two attempts.
    public init(
        count: Int = 100_000, bytes: Int = 256 << 20, concurrency: Int = 4, failures: Int = 12,
        longestBackoff: Duration = .seconds(300)
    ) {
        self.count = count
        self.bytes = bytes
        self.concurrency = concurrency
        self.failures = failures
        self.longestBackoff = longestBackoff
    }
}

/// What an ``Outbox`` has to do for the current account, and whether it can.
public struct OutboxStatus: Sendable, Hashable {
    /// The reasons why nothing is sent.
    @nonexhaustive
    public enum Pause: Sendable, Hashable {
        /// No connection could be established, or it was lost. The outbox tries again by itself.
        case noConnection
        /// The server, or a server in front of it, can't process requests now. The outbox tries again by itself.
        case serverBusy
        /// The server requires a sign-in. The outbox continues after ``Outbox/wake()`` or ``Outbox/use(account:)``.
        case signedOut
        /// Another outbox is sending the entries of the same file, usually in another process.
        case otherOutbox
        /// The file can't be read or written. The outbox tries again by itself.
        case file(OutboxError)
    }

    /// The number of entries that are to be sent or handled. `nil` if the file can't be read.
    public var waiting: Int? = 0
    /// The number of entries that are set aside, or of a kind that this outbox doesn't have. `nil` if the
    /// file can't be read.
    public var setAside: Int? = 0
    /// The number of entries that this outbox is sending or handling.
    public var sending = 0
    /// Why nothing is sent now, or `nil`.
    public var pause: Pause?

    /// Creates the status of an empty outbox.
    public init() {}
}
