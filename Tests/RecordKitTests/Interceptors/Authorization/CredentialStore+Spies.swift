import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization

/// Counts how often it is asked.
final class CountingStore: CredentialStore {
    private let state: Mutex<(token: Token?, loads: Int)>

    init(_ token: Token?) {
        state = Mutex((token, 0))
    }

    var loads: Int { state.withLock { $0.loads } }

    func load() -> Token? {
        state.withLock { state in
            state.loads += 1
            return state.token
        }
    }

    func save(_ token: Token?) {
        state.withLock { $0.token = token }
    }
}

/// Tells when it was told a token.
struct NotingStore: CredentialStore {
    private let store: MemoryCredentialStore
    private let isSaved: AnswerGate

    init(_ token: Token, _ isSaved: AnswerGate) {
        store = MemoryCredentialStore(token)
        self.isSaved = isSaved
    }

    func load() -> Token? {
        store.load()
    }

    func save(_ token: Token?) {
        store.save(token)
        isSaved.open()
    }
}

/// Can be read once.
final class BreakingStore: CredentialStore {
    private let token: Mutex<Token?>

    init(_ token: Token) {
        self.token = Mutex(token)
    }

    func load() throws -> Token? {
        guard let token = token.withLock({ $0.take() }) else { throw CancellationError() }
        return token
    }

    func save(_ token: Token?) {}
}

/// Keeps what it was made with and fails to save anything else.
struct FullStore: CredentialStore {
    let token: Token?

    func load() -> Token? { token }

    func save(_ token: Token?) throws { throw CancellationError() }
}

/// Gives these in order, the last again and again, and fails for nil; saves, or fails to, as it is told.
final class ScriptedStore: CredentialStore {
    private let loads: Mutex<ArraySlice<Token?>>
    private let saves: Mutex<ArraySlice<Bool>>

    init(loads: [Token?], saves: [Bool] = []) {
        self.loads = Mutex(loads[...])
        self.saves = Mutex(saves[...])
    }

    func load() throws -> Token? {
        let next = loads.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard case let token?? = next else { throw CancellationError() }
        return token
    }

    func save(_ token: Token?) throws {
        if saves.withLock({ $0.popFirst() }) != true { throw CancellationError() }
    }
}

/// Takes its time to save a token, and none to forget one.
struct SlowStore: CredentialStore {
    private let store = MemoryCredentialStore()
    private let isSaving: AnswerGate
    private let gate: AnswerGate

    init(_ isSaving: AnswerGate, _ gate: AnswerGate) {
        self.isSaving = isSaving
        self.gate = gate
    }

    func load() -> Token? {
        store.load()
    }

    func save(_ token: Token?) async throws {
        if token != nil {
            isSaving.open()
            try await gate.wait()
        }
        store.save(token)
    }
}
