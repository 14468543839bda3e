import Foundation
import RecordKit
import Synchronization

extension TokenSource {
    /// One that goes on or is over: what it began in tasks of their own may outlive it.
    private final class Renewal: Sendable {
        let source: ObjectIdentifier
        let isOver = Atomic<Bool>(false)

        init(of source: TokenSource) {
            self.source = ObjectIdentifier(source)
        }
    }

    /// The renewals that the current task is part of.
    @TaskLocal private static var renewals: [Renewal] = []

    var isBeingRenewedHere: Bool {
        let id = ObjectIdentifier(self)
        return Self.renewals.contains { $0.source == id && !$0.isOver.load(ordering: .relaxed) }
    }

    /// Returns when there is a later token than that of `generation`: at once, or when the renewal in flight has ended.
    ///
    /// - Parameter seen: a renewal that failed after so many had ended counts as this caller's own.
    func renewToken(_ generation: Int, since seen: Int, for call: NetworkCall) async throws(NetworkError) {
        let start = call.clock.now()
        var detail: String?
        defer { call.report(.refresh, since: start, detail: detail) }
        do throws(NetworkError) {
            try await renewalsInFlight.value(of: generation, endsWithLast: false) {
                detail = "joined"
            } work: {
                let renewal = Renewal(of: self)
                defer { renewal.isOver.store(true, ordering: .relaxed) }
                return await Self.$renewals.withValue(Self.renewals + [renewal]) {
                    await self.outcome(ofRenewing: generation, since: seen, call.clock)
                }
            }
        } catch {
            detail = if case .cancelled = error { "cancelled" } else { "failed" }
            throw error
        }
    }

    private func outcome(
        ofRenewing generation: Int, since seen: Int, _ clock: NetworkClock
    ) async -> Result<Void, NetworkError> {
        let state = state.withLock { $0 }
        if state.generation != generation { return .success(()) }
        if let failure = state.failure, state.renewals > seen { return .failure(failure) }
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
            var renewed = try await renew(ended)
            if renewed.refresh == nil { renewed.refresh = ended?.refresh }
            if replace(renewed, of: generation, kept: found, renewedBy: clock) { try? await save() }
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
            state.renewals += 1
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
    func replace(
        _ token: Token?, of generation: Int? = nil, kept: Token? = nil, renewedBy clock: NetworkClock? = nil
    ) -> Bool {
        let credential = token.map(credential)
        return state.withLock { state in
            guard generation == nil || generation == state.generation else { return false }
            state = State(
                token: token, credential: credential, kept: kept ?? state.kept,
                generation: state.generation + 1, renewals: state.renewals + 1)
            if let clock { state.checkLife(leeway, clock) }
            return true
        }
    }

    /// Hands the store the latest token, also when it changes while the store is at work.
    func save() async throws {
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
