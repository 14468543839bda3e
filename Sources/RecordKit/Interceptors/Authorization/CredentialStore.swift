import Synchronization

/// Where a token is kept between two runs of an app.
///
/// ``MemoryCredentialStore``, ``FileCredentialStore``, and on Apple's systems `KeychainCredentialStore` are given.
public protocol CredentialStore: Sendable {
    /// Nil when nothing is kept, which after a token was means a sign-out elsewhere: never in the midst of a save.
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
