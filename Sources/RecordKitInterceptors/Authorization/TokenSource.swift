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
        let generation: Int
        /// How many renewals had ended when the call was signed.
        let renewals: Int
    }

    struct State {
        var token: Token?
        /// Made of the token.
        var credential: Credential?
        /// What the store is known to have held last.
        var kept: Token?
        /// Counts tokens; 0 until the store was asked.
        var generation = 0
        var isRefused = false
        var renewals = 0
        /// How the last renewal failed, of this generation.
        var failure: NetworkError?
        /// Until when a token that is about to end is used, after its renewal failed or gave none that lives longer.
        var nextEarlyRenewal: Duration = .zero
        /// The token had ended when it came. So this machine's clock is wrong, and a 401 alone tells its end.
        var hasWrongExpiry = false
    }

    let state = Mutex(State())
    let renewalsInFlight = Flights<Int, Void>()
    let store: any CredentialStore
    let renew: @Sendable (Token?) async throws -> Token
    let leeway: Duration
    let credential: @Sendable (Token) -> Credential
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
    ///     throws ends every call that waits for it, as the cause of a `NetworkError.interceptor(_:)` with the 401
    ///     that asked for it. A `NetworkError` that may pass, such as a 503 of the token server, ends them without
    ///     that 401, which would look like a sign-out; a ``RetryInterceptor`` in front tries once more, unless the token server
    ///     may have renewed the token, as after a lost connection. An error of another type cannot be told from a
    ///     refusal.
    public init(
        store: any CredentialStore = MemoryCredentialStore(), leeway: Duration = .seconds(60),
        credential: @escaping @Sendable (Token) -> Credential = { .scheme($0.type, $0.access) },
        renew: @escaping @Sendable (_ ended: Token?) async throws -> Token
    ) {
        self.store = store
        self.leeway = leeway
        self.credential = credential
        sample = credential(Token(""))
        self.renew = renew
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
        if let lasts, call.clock.now() < state.nextEarlyRenewal { return lasts }
        do {
            try await renewToken(state.generation, since: state.renewals, for: call)
        } catch {
            guard let lasts, !Task.isCancelled else { throw error }
            let pause = call.clock.now() + .seconds(10)
            self.state.withLock { $0.nextEarlyRenewal = pause }
            return lasts
        }
        return try latest()
    }

    /// What to sign a call with once more, after a 401.
    func ticket(
        after ticket: Ticket, refusedWith response: NetworkResponse, for call: NetworkCall
    ) async throws(NetworkError) -> Ticket {
        do {
            try await renewToken(ticket.generation, since: ticket.renewals, for: call)
            // The later token that there was may have been refused too, of a call that could not be sent again.
            let state = self.state.withLock { $0 }
            if state.isRefused { try await renewToken(state.generation, since: state.renewals, for: call) }
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
        return TokenSource.Ticket(credential: credential, generation: generation, renewals: renewals)
    }

    /// A token that was just renewed and is about to end lives no longer: it is used for half of its time.
    mutating func checkLife(_ leeway: Duration, _ clock: NetworkClock) {
        guard ends(within: leeway, clock), let left = token?.expiry?.timeIntervalSince(clock.date()) else { return }
        hasWrongExpiry = left <= 0
        nextEarlyRenewal = clock.now() + .seconds(max(left, 0) / 2)
    }

    fileprivate func ends(within time: Duration, _ clock: NetworkClock) -> Bool {
        guard let expiry = token?.expiry, !hasWrongExpiry else { return false }
        return expiry <= clock.date().addingTimeInterval(time.timeInterval)
    }
}
