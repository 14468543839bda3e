import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// A shop whose server accepts one token at a time, and an app that signs its calls with a source of tokens.
final class TokenShop: Sendable {
    private final class State: Sendable {
        let accepted: Kept<String?>
        let refreshed = Kept<[TokenSet?]>([])

        init(_ accepted: String?) {
            self.accepted = Kept(accepted)
        }
    }

    let tokens: TokenSource
    let transport: CannedTransport
    let session: NetworkSession
    private let state: State

    /// Creates a shop.
    ///
    /// - Parameters:
    ///   - accepted: The token that the server accepts. `nil` accepts every call.
    ///   - store: The store of the token.
    ///   - transport: The server, in place of one that accepts a token.
    ///   - interceptors: The interceptors before the authorization.
    ///   - refresh: Returns a new token. By default, the test fails.
    init(
        accepting accepted: String? = nil, _ store: any TokenStore = MemoryTokenStore(),
        over transport: CannedTransport? = nil, leeway: Duration = .seconds(60), clock: ManualClock = ManualClock(),
        interceptors: [any NetworkInterceptor] = [],
        refresh: @escaping @Sendable (TokenSet?) async throws -> TokenSet = { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
    ) {
        let state = State(accepted)
        self.state = state
        self.transport =
            transport
            ?? CannedTransport { call throws(NetworkError) in
                let token = state.accepted.now
                let isAccepted = token.map { call.headers["Authorization"] == "Bearer \($0)" } ?? true
                return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
            }
        tokens = TokenSource(store: store, leeway: leeway) { ended in
            state.refreshed.add(ended)
            return try await refresh(ended)
        }
        session = NetworkSession(
            self.transport, interceptors + [AuthorizationInterceptor(tokens, for: "https://store.example")],
            clock: clock)
    }

    /// The tokens that refreshes were to replace, in order.
    var refreshed: [TokenSet?] { state.refreshed.now }

    /// The credentials of the calls that were sent, in order.
    var sent: [String?] { transport.calls.map { $0.headers["Authorization"] } }

    func accept(_ token: String) { state.accepted.set(token) }

    func status(of ask: Ask<Data> = Ask()) async -> Int? { await session.status(of: ask) }

    func outcome(of ask: Ask<Data> = Ask()) async -> Result<NetworkResponse, NetworkError> {
        await session.outcome(of: ask)
    }

    /// Returns what the interceptor reports of a call.
    func interceptorFailure(of ask: Ask<Data> = Ask()) async -> NetworkError.InterceptorFailure? {
        guard case .failure(.interceptor(let failure)) = await outcome(of: ask) else { return nil }
        return failure
    }
}

/// A body that can be sent once.
struct OnceBody: NetworkEncodable, Sendable {
    func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
        EncodedBody(.data(Data("x".utf8)), canBeSentAgain: false)
    }
}

/// A store that counts how often it is read, and waits or fails as a test says.
final class SpyStore: TokenStore {
    private let state: Kept<(token: TokenSet?, loads: Int)>
    private let onLoad: @Sendable (Int) async throws -> Void
    private let onSave: @Sendable (TokenSet?) async throws -> Void

    init(
        _ token: TokenSet? = nil, onLoad: @escaping @Sendable (Int) async throws -> Void = { _ in },
        onSave: @escaping @Sendable (TokenSet?) async throws -> Void = { _ in }
    ) {
        state = Kept((token, 0))
        self.onLoad = onLoad
        self.onSave = onSave
    }

    /// A store that keeps its first token and can't save another one.
    static func full(_ token: TokenSet) -> SpyStore {
        SpyStore(token, onSave: { _ in throw CancellationError() })
    }

    var token: TokenSet? { state.change { $0.token } }
    var loads: Int { state.change { $0.loads } }

    func load() async throws -> TokenSet? {
        let count = state.change { state in
            state.loads += 1
            return state.loads
        }
        try await onLoad(count)
        return token
    }

    func save(_ token: TokenSet?) async throws {
        try await onSave(token)
        state.change { $0.token = token }
    }

    func replace(with token: TokenSet) async throws -> Bool {
        if self.token == nil { return false }
        try await save(token)
        return true
    }
}

/// A store that returns tokens in order, the last one repeatedly, and throws for `nil`. Saving succeeds or fails as
/// requested.
final class ScriptedStore: TokenStore {
    private let loads: Kept<ArraySlice<TokenSet?>>
    private let saves: Kept<ArraySlice<Bool>>

    init(loads: [TokenSet?], saves: [Bool] = []) {
        self.loads = Kept(loads[...])
        self.saves = Kept(saves[...])
    }

    func load() throws -> TokenSet? {
        let next = loads.change { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard case let token?? = next else { throw CancellationError() }
        return token
    }

    func save(_ token: TokenSet?) throws {
        if saves.change({ $0.popFirst() }) != true { throw CancellationError() }
    }

    func replace(with token: TokenSet) throws -> Bool {
        try save(token)
        return true
    }
}
