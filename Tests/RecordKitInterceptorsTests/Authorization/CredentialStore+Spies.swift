import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization

/// A store that counts how often it is read.
final class CountingStore: CredentialStore {
    private let state: Mutex<(token: AccessToken?, loads: Int)>

    init(_ token: AccessToken?) {
        state = Mutex((token, 0))
    }

    var loads: Int { state.withLock { $0.loads } }

    func load() -> AccessToken? {
        state.withLock { state in
            state.loads += 1
            return state.token
        }
    }

    func save(_ token: AccessToken?) {
        state.withLock { $0.token = token }
    }
}

/// A store that reports when it saves a token.
struct NotingStore: CredentialStore {
    private let store: MemoryCredentialStore
    private let isSaved: ResponseGate

    init(_ token: AccessToken, _ isSaved: ResponseGate) {
        store = MemoryCredentialStore(token)
        self.isSaved = isSaved
    }

    func load() -> AccessToken? {
        store.load()
    }

    func save(_ token: AccessToken?) {
        store.save(token)
        isSaved.open()
    }
}

/// A store that can be read once.
final class BreakingStore: CredentialStore {
    private let token: Mutex<AccessToken?>

    init(_ token: AccessToken) {
        self.token = Mutex(token)
    }

    func load() throws -> AccessToken? {
        guard let token = token.withLock({ $0.take() }) else { throw CancellationError() }
        return token
    }

    func save(_ token: AccessToken?) {}
}

/// A store that keeps its first token and can't save another one.
struct FullStore: CredentialStore {
    let token: AccessToken?

    func load() -> AccessToken? { token }

    func save(_ token: AccessToken?) throws { throw CancellationError() }
}

/// A store that returns tokens in order, the last one repeatedly, and throws for `nil`. Saving succeeds or fails as
/// requested.
final class ScriptedStore: CredentialStore {
    private let loads: Mutex<ArraySlice<AccessToken?>>
    private let saves: Mutex<ArraySlice<Bool>>

    init(loads: [AccessToken?], saves: [Bool] = []) {
        self.loads = Mutex(loads[...])
        self.saves = Mutex(saves[...])
    }

    func load() throws -> AccessToken? {
        let next = loads.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard case let token?? = next else { throw CancellationError() }
        return token
    }

    func save(_ token: AccessToken?) throws {
        if saves.withLock({ $0.popFirst() }) != true { throw CancellationError() }
    }
}

/// A store that is slow to save a token, but not to remove it.
struct SlowStore: CredentialStore {
    private let store = MemoryCredentialStore()
    private let isSaving: ResponseGate
    private let gate: ResponseGate

    init(_ isSaving: ResponseGate, _ gate: ResponseGate) {
        self.isSaving = isSaving
        self.gate = gate
    }

    func load() -> AccessToken? {
        store.load()
    }

    func save(_ token: AccessToken?) async throws {
        if token != nil {
            isSaving.open()
            try await gate.wait()
        }
        store.save(token)
    }
}

/// A store that is slow to load a token, the first time.
struct SlowlyReadStore: CredentialStore {
    private let isLoading: ResponseGate
    private let gate: ResponseGate

    init(_ isLoading: ResponseGate, _ gate: ResponseGate) {
        self.isLoading = isLoading
        self.gate = gate
    }

    func load() async throws -> AccessToken? {
        if isLoading.isOpen { return nil }
        isLoading.open()
        try await gate.wait()
        return nil
    }

    func save(_ token: AccessToken?) {}
}
