import Foundation
import RecordKit
import Synchronization

/// Stores a token, refreshes it, and lets all calls that need a new token wait for the same refresh.
///
/// ```swift
/// let tokens = TokenSource(store: FileTokenStore(file)) { expired in
///     guard let refreshToken = expired?.refreshToken else {
///         throw ShopError.signedOut
///     }
///     return try await signIn.value(for: .refresh(refreshToken))
/// }
/// ```
///
/// The refresh may use a configuration that signs its calls with this same source. These calls aren't signed, nor are
/// those of child tasks and of tasks that are created with `Task`. A detached task, or a block on a dispatch queue,
/// doesn't belong to the refresh: its calls wait for the refresh, and the refresh waits for them. Use a configuration
/// that doesn't sign its calls there.
public final class TokenSource: Sendable {
    private let state: Mutex<TokenState>
    private let sharedRefresh = SharedRefresh()
    private let storage: TokenStorage
    private let updates = StatusUpdates()
    private let refresh: @Sendable (TokenSet?) async throws -> TokenSet
    private let credential: @Sendable (TokenSet) -> Credential
    /// A credential that names the header field or query item before there is a token.
    let sample: Credential

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - store: The place where the token is stored. It is read when the first call needs a token, before each
    ///     refresh, and after a failed refresh: another process may have refreshed the token or signed out. It gets
    ///     each new token. A token that can't be saved is used anyway. The token is loaded, refreshed and replaced
    ///     within ``TokenStore/withLock(_:)``, so processes that share a store take turns. Default: a store in memory.
    ///   - leeway: The time before its expiry at which a token is refreshed. A token with a shorter lifetime is
    ///     refreshed after half of it. Default: 60 seconds.
    ///   - credential: Makes the credential of a call. Called once with an empty token, for the name of the header
    ///     field or query item. That name must be the same for all tokens. Default: `Authorization` with the token's
    ///     type.
    ///   - refresh: Returns a new token. Its argument is the token that expired or was rejected, or `nil` if there is
    ///     none, as after a sign-out by another process. A new token without a refresh token keeps the old refresh
    ///     token (RFC 6749 section 6).
    ///
    ///     The closure runs to its end even if no call waits for it, so that a new token is never lost. Only a sign-in
    ///     or a sign-out cancels it. An error that it throws ends every call that waits, as the cause of a
    ///     `NetworkError.interceptor(_:)` with the 401 as its response. The message has the `errorDescription` of the
    ///     cause, unless that contains the token. After a ``RefreshError`` that ends the sign-in, the closure isn't
    ///     called again for the same token.
    ///
    ///     A transient `NetworkError`, such as a 503 of the token server, ends the calls without the 401, which would
    ///     look like a sign-out. A ``RetryInterceptor`` in front of the authorization repeats the call then, unless the
    ///     token server may have refreshed the token, as after a lost connection. Other types of errors count as a
    ///     rejection.
    public init(
        store: any TokenStore = MemoryTokenStore(), leeway: Duration = .seconds(60),
        credential: @escaping @Sendable (TokenSet) -> Credential = { .scheme($0.type, $0.accessToken) },
        refresh: @escaping @Sendable (_ ended: TokenSet?) async throws -> TokenSet
    ) {
        state = Mutex(TokenState(leeway: leeway))
        storage = TokenStorage(store)
        self.credential = credential
        sample = credential(TokenSet(""))
        self.refresh = refresh
    }

    /// Uses a token that the app got from a sign-in. Calls are signed with it from now on, and it is stored.
    ///
    /// Ends a refresh in progress. Returns after another process's refresh of the same store, if one is in progress.
    ///
    /// - Parameter token: The token.
    /// - Throws: The error of the store. Its type is that of the app's store, so it is any. The token is used anyway.
    public func use(_ token: TokenSet) async throws {
        let credential = credential(token)
        change { $0.use(token, credential) }
        sharedRefresh.end()
        // A refresh that the current task belongs to has the lock already.
        if isRefreshingInThisTask {
            try await save()
        } else {
            try await storage.withLock { _ = try await self.save() }
        }
    }

    /// Removes the token, from the store, too.
    ///
    /// Ends a refresh in progress, and discards its result. Doesn't wait for other processes: a refresh of theirs isn't
    /// stored afterwards. The token is removed even if the current task is cancelled.
    ///
    /// - Returns: The token that was removed, so that the app can revoke it, or `nil` if there was none.
    /// - Throws: The error of the store, of any type as in ``use(_:)``. The token isn't used again anyway.
    @discardableResult
    public func signOut() async throws -> TokenSet? {
        let last = change { state in
            defer { state.use(nil, nil) }
            return state
        }
        sharedRefresh.end()
        // A store may end its work when the current task is cancelled. This task isn't.
        return try await Task {
            let stored = try? await storage.load()
            try await save()
            return last.latest(beside: stored)
        }.value
    }

    /// The current status. Reads the store if no call has needed the token yet.
    ///
    /// - Throws: The error of the store, of any type as in ``use(_:)``.
    public var status: Status {
        get async throws {
            if let known = state.withLock(\.status) { return known }
            return try await storage.load() == nil ? .signedOut : .signedIn
        }
    }

    /// The current status and each change, for one reader. A reader that is late gets only the newest.
    ///
    /// ```swift
    /// for await status in tokens.statusUpdates {
    ///     isSignInShown = status != .signedIn
    /// }
    /// ```
    ///
    /// Each use of the property makes a stream, which ends when the source is released. Reads the store if no call has
    /// needed the token yet. If the store can't be read, the stream begins with the first change. What another process
    /// does is seen when a token is refreshed.
    public var statusUpdates: AsyncStream<Status> {
        let (stream, id) = updates.subscribe()
        if let known = state.withLock(\.status) {
            updates.begin(id, with: known)
        } else {
            Task {
                if let first = try? await status { updates.begin(id, with: first) }
            }
        }
        return stream
    }
}

// MARK: Calls

extension TokenSource {
    var isRefreshingInThisTask: Bool { sharedRefresh.includesThisTask }

    /// Returns what a call is signed with. Refreshes the token first if it is about to expire.
    func ticket(for call: NetworkCall) async throws(NetworkError) -> TokenState.Ticket {
        let moment = RefreshPacing.Moment(call.clock)
        switch state.withLock({ $0.step(at: moment) }) {
        case .sign(let ticket): return ticket
        case .refresh(let version, let ticket):
            do {
                try await refresh(version, for: call)
            } catch {
                guard let ticket, !Task.isCancelled else { throw error }
                let moment = RefreshPacing.Moment(call.clock)
                change { $0.failedEarly(at: moment) }
                return ticket
            }
            return try latestTicket()
        }
    }

    /// Returns what a call is signed with after a 401, or `nil` if the last refreshes changed nothing.
    func ticket(
        after ticket: TokenState.Ticket, refusedWith response: NetworkResponse, for call: NetworkCall
    ) async throws(NetworkError) -> TokenState.Ticket? {
        do {
            try await refresh(ticket.version, for: call)
            // The later token may have been rejected, too, for a call that couldn't be sent again.
            if let refused = state.withLock(\.refused) { try await refresh(refused, for: call) }
            let next = try latestTicket()
            return next.version.generation == ticket.version.generation ? nil : next
        } catch .interceptor(let failure) where failure.kind != .unavailable {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: failure.interceptor, reason: failure.reason, kind: failure.kind, cause: failure.cause,
                    response: response))
        }
    }

    /// Marks the token as rejected. The next call refreshes it first.
    func refuse(_ ticket: TokenState.Ticket) {
        change { $0.refuse(ticket) }
    }

    /// Marks the token as accepted by a server.
    func accept(_ ticket: TokenState.Ticket) {
        change { $0.accept(ticket) }
    }

    private func latestTicket() throws(NetworkError) -> TokenState.Ticket {
        guard let ticket = state.withLock(\.ticket) else {
            throw .interceptor(
                AuthorizationInterceptor.failure("there is no token anymore; sign in again", .signedOut))
        }
        return ticket
    }

    /// Changes the state. Notifies the subscribers while it is locked, so that they get changes in order.
    private func change<Value: Sendable>(_ event: (inout TokenState) -> Value) -> Value {
        state.withLock { state in
            let last = state.status
            defer {
                if let status = state.status, status != last { updates.send(status) }
            }
            return event(&state)
        }
    }
}

// MARK: Refreshes

extension TokenSource {
    /// Returns when there is a later token than that of `version`: at once, or when the refresh in progress has ended.
    private func refresh(_ version: TokenState.Version, for call: NetworkCall) async throws(NetworkError) {
        let start = call.clock.now()
        var detail: String?
        defer { call.report(.refresh, since: start, detail: detail) }
        do throws(NetworkError) {
            try await sharedRefresh.run(version.generation) {
                detail = "joined"
            } work: {
                await self.outcome(ofRefreshing: version, call.clock)
            }
        } catch {
            detail = if case .cancelled = error { "cancelled" } else { "failed" }
            throw error
        }
    }

    private func outcome(
        ofRefreshing version: TokenState.Version, _ clock: NetworkClock
    ) async -> Result<Void, NetworkError> {
        // A refresh that doesn't end when it is cancelled may still have the lock.
        if !state.withLock({ $0.isCurrent(version) }) { return .success(()) }
        do {
            return try await storage.withLock { await self.lockedOutcome(ofRefreshing: version, clock) }
        } catch {
            return change { $0.end(version, with: RefreshFailure(ofStore: error)) }
        }
    }

    private func lockedOutcome(
        ofRefreshing version: TokenState.Version, _ clock: NetworkClock
    ) async -> Result<Void, NetworkError> {
        var current: TokenRefresh
        switch state.withLock({ $0.beginRefresh(of: version) }) {
        case .over(let outcome): return outcome
        case .refresh(let begun): current = begun
        }
        let content: Result<TokenSet?, any Error>
        do { content = .success(try await storage.load()) } catch { content = .failure(error) }
        if !state.withLock({ $0.isCurrent(version) }) { return .success(()) }
        var step = current.loaded(content, at: RefreshPacing.Moment(clock))
        while true {
            switch step {
            case .request(let ended):
                do {
                    step = current.received(try await refresh(ended))
                } catch {
                    let theirs = current.trustsStore ? try? await storage.load() : nil
                    step = current.failed(error, beside: theirs, at: RefreshPacing.Moment(clock))
                }
            case .take(let token):
                let credential = credential(token)
                _ = change { $0.end(version, with: token, credential, stored: token, refreshedAt: nil) }
                return .success(())
            case .store(let token, let stored, let onlyIfPresent):
                let (credential, moment) = (credential(token), RefreshPacing.Moment(clock))
                let isUsed = change {
                    $0.end(version, with: token, credential, stored: stored, refreshedAt: moment)
                }
                if isUsed, let isSaved = try? await save(onlyIfPresent: onlyIfPresent), !isSaved {
                    change { $0.signedOutElsewhere(afterRefreshOf: version) }
                }
                return .success(())
            case .reuse:
                change { $0.reuse() }
                return .success(())
            case .failAgain(let error): return .failure(error)
            case .fail(let failure): return change { $0.end(version, with: failure) }
            }
        }
    }

    /// Saves the latest token. Returns false if the store must have one already, and had none.
    @discardableResult
    private func save(onlyIfPresent: Bool = false) async throws -> Bool {
        try await storage.save(onlyIfPresent: onlyIfPresent) {
            self.state.withLock(\.token)
        } saved: { token in
            self.change { $0.saved(token) }
        }
    }
}
