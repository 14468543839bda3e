/// The limits of an ``Outbox``.
public struct OutboxLimits: Sendable, Hashable {
    /// The number of entries, of all accounts. Default: 100,000.
    public var count = 100_000
    /// The size of all requests with their attachments, in bytes. Default: 256 MB.
    public var bytes = 256 << 20
    /// The number of calls at once, each of another lane, and of handlers at once. Default: 4.
    public var concurrency = 4
    /// The number of failures after which an entry is set aside. Default: 12.
    ///
    /// A failure counts if another request of the same kind was answered since the attempt before.
    public var failures = 12
    /// The longest wait between two attempts, unless the server asks for a longer one. Default: 5 minutes.
    public var longestBackoff: Duration = .seconds(300)

    /// Creates the default limits.
    public init() {}
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
