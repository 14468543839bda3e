import Foundation
import RecordKit
import Synchronization

/// The one owner of a token: keeps it, renews it, and lets all calls that want a new one wait for the same renewal.
///
/// ```swift
/// let tokens = TokenSource(store: FileCredentialStore(file)) { expired in
///     guard let refresh = expired?.refresh else { throw ShopError.signedOut }
///     return try await signIn.value(for: .renew(refresh))
/// }
/// ```
///
/// The renewal may use a configuration that signs with this same source: its calls go out unsigned, also those of tasks
/// that it begins with `Task` or in a group. A detached task, or one begun on a queue, is no part of it: a call there
/// waits for the renewal that waits for it, for ever or until its deadline. Give it a configuration that does not sign.
public final class TokenSource: Sendable {
    /// A token that a call is signed with, and how to tell later whether it is still the latest.
    struct Ticket: Sendable {
        let credential: Credential
        fileprivate let generation: Int
        /// How many renewals had ended when the call was signed.
        fileprivate let refreshes: Int
    }

    fileprivate struct State {
        var token: Token?
        /// Made of the token.
        var credential: Credential?
        /// What the store is known to have held last.
        var kept: Token?
        /// Counts tokens; 0 until the store was asked.
        var generation = 0
        var isRefused = false
        var refreshes = 0
        /// How the last renewal failed, of this generation.
        var failure: NetworkError?
        /// Until when a token that is about to end is used, after its renewal failed or gave none that lives longer.
        var nextEarlyRefresh: Duration = .zero
        /// The token had ended when it came. So this machine's clock is wrong, and a 401 alone tells its end.
        var hasWrongExpiry = false
    }

    private let state = Mutex(State())
    private let refreshesInFlight = Flights<Int, Void>()
    private let store: any CredentialStore
    private let refresh: @Sendable (Token?) async throws -> Token
    private let leeway: Duration
    private let credential: @Sendable (Token) -> Credential
    /// Tells where a credential goes before there is a token.
    let sample: Credential

    /// - Parameters:
    ///   - store: asked once, when the first call wants a token, and again before each renewal and after one that
    ///     failed, as another process may have made one, or have signed out; told each new token. One that it fails to
    ///     save is used all the same.
    ///   - leeway: how long before its end a token is renewed; one that lives no longer than that, after half of its
    ///     time.
    ///   - credential: what a call is signed with; by default `Authorization` with the token's type. Asked once with an
    ///     empty token, for the name of the header or query item, which has to be the same for all tokens.
    ///   - renew: gives a new token. It is handed the one that has ended or was refused, or nil when there is none, also
    ///     since another process has signed out. A new one without a refresh token keeps the old one's (RFC 6749
    ///     section 6). It runs to its end even when no call waits any more, so that a new token is never lost. What it
    ///     throws ends every call that waits for it, as the cause of a ``NetworkError/interceptor(_:)`` with the 401
    ///     that asked for it. A ``NetworkError`` that may pass, such as a 503 of the token server, ends them without
    ///     that 401, which would look like a sign-out; a ``RetryInterceptor`` in front tries once more, unless the token server
    ///     may have renewed the token, as after a lost connection. An error of another type cannot be told from a
    ///     refusal.
    public init(
        store: any CredentialStore = MemoryCredentialStore(), leeway: Duration = .seconds(60),
        credential: @escaping @Sendable (Token) -> Credential = { .scheme($0.type, $0.access) },
        refresh: @escaping @Sendable (_ ended: Token?) async throws -> Token
    ) {
        self.store = store
        self.leeway = leeway
        self.credential = credential
        sample = credential(Token(""))
        self.refresh = refresh
    }

    /// Takes a token that the app got by itself, from a sign-in; every call from now on is signed with it.
    ///
    /// - Throws: what the store throws; the token is used all the same.
    public func signIn(_ token: Token) async throws {
        replace(token)
        try await save()
    }

    /// Forgets the token, also one that is being renewed now.
    ///
    /// - Throws: what the store throws; the token is not used again all the same.
    public func signOut() async throws {
        replace(nil)
        try await save()
    }

    /// What to sign a call with: the token, renewed before when it is about to end.
    func ticket(for call: NetworkCall) async throws(NetworkError) -> Ticket {
        let state = self.state.withLock { $0 }
        let known = state.ticket
        if let known, !state.ends(within: leeway, call.clock) { return known }
        let lasts = state.ends(within: .zero, call.clock) ? nil : known
        if let lasts, call.clock.now() < state.nextEarlyRefresh { return lasts }
        do {
            try await refreshToken(state.generation, since: state.refreshes, for: call)
        } catch {
            guard let lasts, !Task.isCancelled else { throw error }
            let pause = call.clock.now() + .seconds(10)
            self.state.withLock { $0.nextEarlyRefresh = pause }
            return lasts
        }
        return try latest()
    }

    /// What to sign a call with once more, after a 401.
    func ticket(
        after ticket: Ticket, refusedWith response: NetworkResponse, for call: NetworkCall
    ) async throws(NetworkError) -> Ticket {
        do {
            try await refreshToken(ticket.generation, since: ticket.refreshes, for: call)
            // The later token that there was may have been refused too, of a call that could not be sent again.
            let state = self.state.withLock { $0 }
            if state.isRefused { try await refreshToken(state.generation, since: state.refreshes, for: call) }
            return try latest()
        } catch .interceptor(let failure) where (failure.cause as? NetworkError)?.isTransient != true {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: failure.interceptor, reason: failure.reason, cause: failure.cause, response: response))
        }
    }

    /// The token was refused and the call cannot be sent again: the next call has it renewed first.
    func refuse(_ ticket: Ticket) {
        state.withLock { state in
            if state.generation == ticket.generation { state.isRefused = true }
        }
    }

    private func latest() throws(NetworkError) -> Ticket {
        guard let ticket = state.withLock(\.ticket) else {
            throw .interceptor(AuthorizationInterceptor.failure("there is no token any more; sign in again"))
        }
        return ticket
    }
}

extension TokenSource.State {
    fileprivate var ticket: TokenSource.Ticket? {
        guard let credential, !isRefused else { return nil }
        return TokenSource.Ticket(credential: credential, generation: generation, refreshes: refreshes)
    }

    /// A token that was just renewed and is about to end lives no longer: it is used for half of its time.
    fileprivate mutating func checkLife(_ leeway: Duration, _ clock: NetworkClock) {
        guard ends(within: leeway, clock), let left = token?.expiry?.timeIntervalSince(clock.date()) else { return }
        hasWrongExpiry = left <= 0
        nextEarlyRefresh = clock.now() + .seconds(max(left, 0) / 2)
    }

    fileprivate func ends(within time: Duration, _ clock: NetworkClock) -> Bool {
        guard let expiry = token?.expiry, !hasWrongExpiry else { return false }
        return expiry <= clock.date().addingTimeInterval(time.timeInterval)
    }
}

extension TokenSource {
    /// One that goes on or is over: what it began in tasks of their own may outlive it.
    private final class Refresh: Sendable {
        let source: ObjectIdentifier
        let isOver = Atomic<Bool>(false)

        init(of source: TokenSource) {
            self.source = ObjectIdentifier(source)
        }
    }

    /// The renewals that the current task is part of.
    @TaskLocal private static var refreshes: [Refresh] = []

    var isRefreshingInThisTask: Bool {
        let id = ObjectIdentifier(self)
        return Self.refreshes.contains { $0.source == id && !$0.isOver.load(ordering: .relaxed) }
    }

    /// Returns when there is a later token than that of `generation`: at once, or when the renewal in flight has ended.
    ///
    /// - Parameter seen: a renewal that failed after so many had ended counts as this caller's own.
    private func refreshToken(_ generation: Int, since seen: Int, for call: NetworkCall) async throws(NetworkError) {
        let start = call.clock.now()
        var detail: String?
        defer { call.report(.refresh, since: start, detail: detail) }
        do throws(NetworkError) {
            try await refreshesInFlight.value(of: generation, endsWithLast: false) {
                detail = "joined"
            } work: {
                let refresh = Refresh(of: self)
                defer { refresh.isOver.store(true, ordering: .relaxed) }
                return await Self.$refreshes.withValue(Self.refreshes + [refresh]) {
                    await self.outcome(ofRefreshing: generation, since: seen, call.clock)
                }
            }
        } catch {
            detail = if case .cancelled = error { "cancelled" } else { "failed" }
            throw error
        }
    }

    private func outcome(
        ofRefreshing generation: Int, since seen: Int, _ clock: NetworkClock
    ) async -> Result<Void, NetworkError> {
        let state = state.withLock { $0 }
        if state.generation != generation { return .success(()) }
        if let failure = state.failure, state.refreshes > seen { return .failure(failure) }
        // After a sign-out the store is not to be trusted.
        let trustsStore = generation == 0 || state.token != nil
        var found = state.kept
        do {
            let stored = try await stored(beside: state)
            if self.state.withLock({ $0.generation != generation }) { return .success(()) }
            found = stored ?? found
            // Another process may have renewed the token, or signed out; what is as it was known to be is older than
            // one that could not be saved.
            let isNew = trustsStore && (generation == 0 || stored != state.kept)
            if isNew, take(stored, insteadOf: state.token, of: generation, clock) { return .success(()) }
            let ended = isNew ? stored : state.token
            var refreshed = try await refresh(ended)
            if refreshed.refresh == nil { refreshed.refresh = ended?.refresh }
            if replace(refreshed, of: generation, kept: found, refreshedBy: clock) { try? await save() }
            return .success(())
        } catch {
            // Another process may have been faster, with a refresh token that is good once.
            if trustsStore, let theirs = try? await store.load(), theirs != found,
                take(theirs, insteadOf: state.token, of: generation, clock)
            {
                return .success(())
            }
            return fail(generation, for: error)
        }
    }

    private func fail(_ generation: Int, for error: any Error) -> Result<Void, NetworkError> {
        // What another type's says may hold a credential.
        let what = error is NetworkError || error is CredentialFileError ? ": \(error)" : ", for \(type(of: error))"
        let reason = "the sign-in could not be renewed\(what.hasSuffix(".") ? String(what.dropLast()) : what)"
        let passing = (error as? NetworkError).flatMap { $0.isTransient ? $0.response : nil }
        let failure = NetworkError.interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "AuthorizationInterceptor", reason: reason, cause: error, response: passing))
        return state.withLock { state in
            // Somebody signed in or out meanwhile: that is what holds for those who wait.
            guard state.generation == generation else { return .success(()) }
            state.refreshes += 1
            state.failure = failure
            return .failure(failure)
        }
    }

    /// What the store holds; one that fails is taken to hold what it did, as whoever knows the token can do without it.
    private func stored(beside state: State) async throws -> Token? {
        do {
            return try await store.load()
        } catch {
            if state.token == nil { throw error }
            return state.kept
        }
    }

    /// Takes a token that the store holds, if it is another one and lasts.
    private func take(
        _ stored: Token?, insteadOf token: Token?, of generation: Int, _ clock: NetworkClock
    ) -> Bool {
        guard let stored, stored != token, stored.expiry.map({ $0 > clock.date() }) ?? true else { return false }
        replace(stored, of: generation, kept: stored)
        return true
    }

    /// - Parameters:
    ///   - generation: of the token that is replaced; nil replaces whatever there is.
    ///   - kept: what the store was found to hold; nil when it was not looked at.
    ///   - clock: of the call that had the token renewed; nil for one that comes from elsewhere.
    /// - Returns: false when there is another one by now, from a sign-in or a sign-out.
    @discardableResult
    private func replace(
        _ token: Token?, of generation: Int? = nil, kept: Token? = nil, refreshedBy clock: NetworkClock? = nil
    ) -> Bool {
        let credential = token.map(credential)
        return state.withLock { state in
            guard generation == nil || generation == state.generation else { return false }
            state = State(
                token: token, credential: credential, kept: kept ?? state.kept,
                generation: state.generation + 1, refreshes: state.refreshes + 1)
            if let clock { state.checkLife(leeway, clock) }
            return true
        }
    }

    /// Hands the store the latest token, also when it changes while the store is at work.
    private func save() async throws {
        var saved: Int?
        while true {
            let (token, generation) = state.withLock { ($0.token, $0.generation) }
            if saved == generation { return }
            try await store.save(token)
            state.withLock { $0.kept = token }
            saved = generation
        }
    }
}
