import Synchronization

/// Where a token is kept between two runs of an app.
///
/// ``MemoryCredentialStore``, ``FileCredentialStore``, and on Apple's systems `KeychainCredentialStore` are given.
public protocol CredentialStore: Sendable {
    /// The token that is kept; nil when there is none. Nil where a token was before counts as a sign-out by another
    /// process, so it must not be given while a save is under way.
    func load() async throws -> Token?
    /// Nil forgets what is kept.
    func save(_ token: Token?) async throws
}

/// Keeps a token as long as the process lives.
public final class MemoryCredentialStore: CredentialStore {
    private let token: Mutex<Token?>

    public init(_ token: Token? = nil) {
        self.token = Mutex(token)
    }

    public func load() -> Token? {
        token.withLock { $0 }
    }

    public func save(_ token: Token?) {
        self.token.withLock { $0 = token }
    }
}
