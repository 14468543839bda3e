import Foundation
import RecordKit
import Synchronization

/// Stores a token, refreshes it, and lets all calls that need a new token wait for the same refresh.
///
/// ```swift
/// let tokens = TokenSource(store: FileTokenStore(file)) { expired in
///     guard let refresh = expired?.refresh else { throw ShopError.signedOut }
///     return try await signIn.value(for: .refresh(refresh))
/// }
/// ```
///
/// The refresh may use a configuration that signs its calls with this same source. These calls aren't signed, nor are
/// those of child tasks and of tasks that are created with `Task`. A detached task, or a block on a dispatch queue,
/// doesn't belong to the refresh: its calls wait for the refresh, and the refresh waits for them. Use a configuration
/// that doesn't sign its calls there.
public final class TokenSource: Sendable {
    /// The credential of a call, with the number of the token it comes from.
    struct Ticket: Sendable {
        let credential: Credential
        fileprivate let generation: Int
        /// The number of refreshes that had ended when the call was signed.
        fileprivate let refreshes: Int
    }

    fileprivate struct State {
        var token: AccessToken?
        /// The credential made from the token.
        var credential: Credential?
        /// The last known content of the store.
        var kept: AccessToken?
        /// The number of tokens so far. Zero until the store was read.
        var generation = 0
        var isRefused = false
        var refreshes = 0
        /// The error of the last refresh of this generation.
        var failure: NetworkError?
        /// The time until which a token that is about to expire is used. Set after a refresh that failed, or that
        /// returned a token with no longer lifetime.
        var nextEarlyRefresh: Duration = .zero
        /// Whether the token had expired when it arrived. Then this device's clock is wrong, and the end is known
        /// only from a 401.
        var hasWrongExpiry = false
        /// `nil` until the store was read.
        var status: Status?
    }

    private let state = Mutex(State())
    private let refreshesInFlight = Flights<Int, Void>()
    let changes = Changes()
    let tokenStore: any TokenStore
    private let refresh: @Sendable (AccessToken?) async throws -> AccessToken
    private let leeway: Duration
    private let credential: @Sendable (AccessToken) -> Credential
    /// A credential that tells the header field or query item before there is a token.
    let sample: Credential

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - store: The place where the token is stored. It is read when the first call needs a token, before each
    ///     refresh, and after a failed refresh: another process may have refreshed the token or signed out. It gets
    ///     each new token. A token that can't be saved is used anyway. The token is loaded, refreshed and saved within
    ///     ``TokenStore/withLock(_:)``, so processes that share a store take turns. Default: a store in memory.
    ///   - leeway: The time before its expiry at which a token is refreshed. A token with a shorter lifetime is
    ///     refreshed after half of it. Default: 60 seconds.
    ///   - credential: Makes the credential of a call. Called once with an empty token, for the name of the header
    ///     field or query item. That name must be the same for all tokens. Default: `Authorization` with the token's
    ///     type.
    ///   - refresh: Returns a new token. Its argument is the token that expired or was rejected, or `nil` if there is
    ///     none, as after a sign-out by another process. A new token without a refresh token keeps the old refresh
    ///     token (RFC 6749 section 6).
    ///
    ///     The closure runs to its end even if no call waits for it, so that a new token is never lost. An error that
    ///     it throws ends every call that waits, as the cause of a `NetworkError.interceptor(_:)` with the 401 as its
    ///     response. The message has the `errorDescription` of the cause, unless that contains the token.
    ///
    ///     A transient `NetworkError`, such as a 503 of the token server, ends the calls without the 401, which would
    ///     look like a sign-out. A ``RetryInterceptor`` in front of the authorization repeats the call then, unless the
    ///     token server may have refreshed the token, as after a lost connection. Other types of errors count as a
    ///     rejection.
    public init(
        store: any TokenStore = MemoryTokenStore(), leeway: Duration = .seconds(60),
        credential: @escaping @Sendable (AccessToken) -> Credential = { .scheme($0.type, $0.access) },
        refresh: @escaping @Sendable (_ ended: AccessToken?) async throws -> AccessToken
    ) {
        tokenStore = store
        self.leeway = leeway
        self.credential = credential
        sample = credential(AccessToken(""))
        self.refresh = refresh
    }

    /// Uses a token that the app got from a sign-in. Calls are signed with it from now on.
    ///
    /// Returns after another process's refresh of the same store, if one is in progress.
    ///
    /// - Parameter token: The token.
    /// - Throws: The error of the store. The token is used anyway.
    public func signIn(_ token: AccessToken) async throws {
        replace(token)
        try await locked { try await self.save() }
    }

    /// Removes the token. The result of a refresh in progress is discarded, too.
    ///
    /// Returns after another process's refresh of the same store, if one is in progress.
    ///
    /// - Returns: The token that was removed, so that the app can revoke it, or `nil` if there was none.
    /// - Throws: The error of the store. The token isn't used again anyway.
    @discardableResult
    public func signOut() async throws -> AccessToken? {
        let last = state.withLock { $0 }
        replace(nil)
        return try await locked {
            let stored = try? await self.tokenStore.load()
            try await self.save()
            // An unchanged store is older than a token that couldn't be saved. A changed one has a later token.
            return last.token == nil || stored != last.kept ? stored ?? last.token : last.token
        }
    }

    /// Performs work under the lock of the store, which a refresh that the current task belongs to has already.
    private func locked<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        isRefreshingInThisTask ? try await work() : try await tokenStore.withLock(work)
    }

    /// The status, or `nil` if the store has to be read.
    var knownStatus: Status? { state.withLock(\.status) }

    /// Returns what a call is signed with. Refreshes the token first if it is about to expire.
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

    /// Returns what a call is signed with after a 401.
    func ticket(
        after ticket: Ticket, refusedWith response: NetworkResponse, for call: NetworkCall
    ) async throws(NetworkError) -> Ticket {
        do {
            try await refreshToken(ticket.generation, since: ticket.refreshes, for: call)
            // The later token may have been rejected, too, for a call that couldn't be sent again.
            let state = self.state.withLock { $0 }
            if state.isRefused { try await refreshToken(state.generation, since: state.refreshes, for: call) }
            return try latest()
        } catch .interceptor(let failure) where failure.kind != .unavailable {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: failure.interceptor, reason: failure.reason, kind: failure.kind, cause: failure.cause,
                    response: response))
        }
    }

    /// Marks the token as rejected. The next call refreshes it first.
    func refuse(_ ticket: Ticket) {
        state.withLock { state in
            if state.generation == ticket.generation { state.isRefused = true }
        }
    }

    private func latest() throws(NetworkError) -> Ticket {
        guard let ticket = state.withLock(\.ticket) else {
            throw .interceptor(
                AuthorizationInterceptor.failure("there is no token anymore; sign in again", .signedOut))
        }
        return ticket
    }
}

extension TokenSource.State {
    fileprivate var ticket: TokenSource.Ticket? {
        guard let credential, !isRefused else { return nil }
        return TokenSource.Ticket(credential: credential, generation: generation, refreshes: refreshes)
    }

    /// Checks a new token that is about to expire already. It is used for half of its lifetime.
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
    /// A refresh in progress. Tasks that it created may outlive it.
    private final class Refresh: Sendable {
        let source: ObjectIdentifier
        let isOver = Atomic<Bool>(false)

        init(of source: TokenSource) {
            self.source = ObjectIdentifier(source)
        }
    }

    /// The refreshes that the current task belongs to.
    @TaskLocal private static var refreshes: [Refresh] = []

    var isRefreshingInThisTask: Bool {
        let id = ObjectIdentifier(self)
        return Self.refreshes.contains { $0.source == id && !$0.isOver.load(ordering: .relaxed) }
    }

    /// Returns when there is a later token than that of `generation`: at once, or when the refresh in progress has
    /// ended.
    ///
    /// - Parameter seen: The number of refreshes that the caller knows of. A later failure counts as the caller's own.
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
        do {
            return try await tokenStore.withLock { await self.lockedOutcome(ofRefreshing: generation, since: seen, clock) }
        } catch {
            return fail(generation, because: "the token couldn't be refreshed", .other, error, [])
        }
    }

    private func lockedOutcome(
        ofRefreshing generation: Int, since seen: Int, _ clock: NetworkClock
    ) async -> Result<Void, NetworkError> {
        let state = state.withLock { $0 }
        if state.generation != generation { return .success(()) }
        if let failure = state.failure, state.refreshes > seen { return .failure(failure) }
        // After a sign-out, the store may still hold the old token.
        let trustsStore = generation == 0 || state.token != nil
        var found = state.kept
        var (isRead, hadToken) = (false, true)
        do {
            let stored = try await stored(beside: state)
            if self.state.withLock({ $0.generation != generation }) { return .success(()) }
            found = stored ?? found
            // Another process may have refreshed the token or signed out. An unchanged store is older than a token that
            // couldn't be saved.
            let isNew = trustsStore && (generation == 0 || stored != state.kept)
            if isNew, take(stored, insteadOf: state.token, of: generation, clock) { return .success(()) }
            let ended = isNew ? stored : state.token
            (isRead, hadToken) = (true, ended != nil)
            var refreshed = try await refresh(ended)
            if refreshed.refresh == nil { refreshed.refresh = ended?.refresh }
            if replace(refreshed, of: generation, kept: found, refreshedBy: clock) { try? await save() }
            return .success(())
        } catch {
            // Another process may have used the refresh token first, if it is valid only once.
            if trustsStore, let theirs = try? await tokenStore.load(), theirs != found,
                take(theirs, insteadOf: state.token, of: generation, clock)
            {
                return .success(())
            }
            // An error of the store tells nothing of the sign-in.
            return fail(
                generation, because: hadToken ? "the token couldn't be refreshed" : "there is no token",
                isRead ? NetworkError.InterceptorFailure.Kind(ofRefresh: error) : .other, error, [state.token, found],
                hadToken ? .ended : .signedOut)
        }
    }

    /// Returns what an error tells the user, or its type. An error without an `errorDescription` isn't printed, since it
    /// may contain a credential.
    private static func reason(_ error: any Error, _ tokens: [AccessToken?]) -> String {
        let told = (error as? any LocalizedError)?.errorDescription
        let secrets = tokens.flatMap { [$0?.access ?? "", $0?.refresh ?? ""] }
        guard let told, !secrets.contains(where: { !$0.isEmpty && told.contains($0) }) else {
            return ", for \(type(of: error))"
        }
        return ": \(told.hasSuffix(".") ? String(told.dropLast()) : told)"
    }

    /// Ends a refresh with an error. One that ends the sign-in leads to a status.
    private func fail(
        _ generation: Int, because what: String, _ kind: NetworkError.InterceptorFailure.Kind, _ error: any Error,
        _ tokens: [AccessToken?], _ status: Status = .ended
    ) -> Result<Void, NetworkError> {
        let passing = (error as? NetworkError).flatMap { $0.isTransient ? $0.response : nil }
        let failure = NetworkError.interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "AuthorizationInterceptor", reason: what + Self.reason(error, tokens), kind: kind,
                cause: error, response: passing))
        return state.withLock { state in
            // A sign-in or sign-out in the meantime is the result for the calls that wait.
            guard state.generation == generation else { return .success(()) }
            state.refreshes += 1
            state.failure = failure
            if kind == .signedOut { setStatus(status, of: &state) }
            return .failure(failure)
        }
    }

    /// Tells the subscribers while the state is locked, so that they get changes in order.
    private func setStatus(_ status: Status, of state: inout State) {
        state.status = status
        changes.send(status)
    }

    /// Returns the content of the store. If the store fails while a token is known, returns what it held before.
    private func stored(beside state: State) async throws -> AccessToken? {
        do {
            return try await tokenStore.load()
        } catch {
            if state.token == nil { throw error }
            return state.kept
        }
    }

    /// Uses the stored token if it is a different one and hasn't expired. Returns whether it is used.
    private func take(
        _ stored: AccessToken?, insteadOf token: AccessToken?, of generation: Int, _ clock: NetworkClock
    ) -> Bool {
        guard let stored, stored != token, stored.expiry.map({ $0 > clock.date() }) ?? true else { return false }
        replace(stored, of: generation, kept: stored)
        return true
    }

    /// Replaces the token.
    ///
    /// - Parameters:
    ///   - generation: The generation of the token that is replaced, or `nil` to replace any token.
    ///   - kept: The content of the store, or `nil` if it wasn't read.
    ///   - clock: The clock of the call that refreshed the token, or `nil` for a sign-in.
    /// - Returns: `false` if there is another token by now, from a sign-in or a sign-out.
    @discardableResult
    private func replace(
        _ token: AccessToken?, of generation: Int? = nil, kept: AccessToken? = nil,
        refreshedBy clock: NetworkClock? = nil
    ) -> Bool {
        let credential = token.map(credential)
        return state.withLock { state in
            guard generation == nil || generation == state.generation else { return false }
            state = State(
                token: token, credential: credential, kept: kept ?? state.kept,
                generation: state.generation + 1, refreshes: state.refreshes + 1)
            if let clock { state.checkLife(leeway, clock) }
            setStatus(token == nil ? .signedOut : .signedIn, of: &state)
            return true
        }
    }

    /// Saves the latest token, and again if it changes while the store is saving.
    private func save() async throws {
        var saved: Int?
        while true {
            let (token, generation) = state.withLock { ($0.token, $0.generation) }
            if saved == generation { return }
            try await tokenStore.save(token)
            state.withLock { $0.kept = token }
            saved = generation
        }
    }
}
