import RecordKit
import Synchronization

/// A store of tokens that saves one token after another.
final class TokenStorage: Sendable {
    private let store: any TokenStore
    /// The last save, which may be in progress.
    private let lastSave = Mutex<Task<Bool, any Error>?>(nil)

    init(_ store: any TokenStore) {
        self.store = store
    }

    func load() async throws -> TokenSet? {
        try await store.load()
    }

    func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await store.withLock(work)
    }

    /// Saves a token, after a save in progress.
    ///
    /// - Parameters:
    ///   - onlyIfPresent: Whether the store must have a token already, as after a refresh.
    ///   - token: Returns the latest token when the save begins.
    ///   - saved: A closure that is called with the token that was saved.
    /// - Returns: `false` if the store had none.
    func save(
        onlyIfPresent: Bool, _ token: @escaping @Sendable () -> TokenSet?,
        saved: @escaping @Sendable (TokenSet?) -> Void
    ) async throws -> Bool {
        let save = lastSave.withLock { last in
            // Not part of the current task, which may be cancelled: a later save must find this one done.
            let task = Task { [last, store] in
                _ = await last?.result
                let token = token()
                if onlyIfPresent, let token {
                    guard try await store.replace(with: token) else { return false }
                } else {
                    try await store.save(token)
                }
                saved(token)
                return true
            }
            last = task
            return task
        }
        return try await save.value
    }
}
