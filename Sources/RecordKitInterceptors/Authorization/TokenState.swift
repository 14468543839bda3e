import Foundation
import RecordKit

/// What a source knows of its token.
struct TokenState: Sendable {
    var token: TokenSet?
    /// The credential made from the token.
    var credential: Credential?
    /// The last known content of the store.
    var kept: TokenSet?
    /// The number of tokens so far. Zero until the store was read.
    var generation = 0
    /// `nil` until the store was read.
    var status: TokenSource.Status?
    var isRefused = false
    /// Whether a server has accepted the token.
    var isAccepted = false
    var refreshes = 0
    /// The error of the last refresh of this generation.
    var failure: NetworkError?
    /// The token that can't be refreshed, after an error that ends the sign-in.
    var ended: TokenSet?
    /// The number of refreshed tokens in a row that no server has accepted, including this one.
    var unaccepted = 0
    /// The time until which a 401 doesn't refresh the token.
    var nextRefresh: Duration = .zero
    /// The time until which a token that is about to expire is used. Set after a refresh that failed, or that
    /// returned a token with no longer lifetime.
    var nextEarlyRefresh: Duration = .zero
    /// Whether the token had expired when it arrived. Then this device's clock is wrong, and the end is known
    /// only from a 401.
    var hasWrongExpiry = false

    var ticket: TokenSource.Ticket? {
        guard let credential, !isRefused else { return nil }
        return TokenSource.Ticket(credential: credential, generation: generation, refreshes: refreshes)
    }

    /// Checks a refreshed token.
    ///
    /// One that is about to expire already is used for half of its lifetime. After two in a row that no server has
    /// accepted, the next refresh has to wait.
    mutating func checkRefreshed(after last: TokenState, _ leeway: Duration, _ clock: NetworkClock) {
        unaccepted = last.isAccepted ? 1 : last.unaccepted + 1
        if unaccepted > 1 { nextRefresh = clock.now() + .seconds(10 << min(unaccepted - 2, 5)) }
        guard ends(within: leeway, clock), let left = token?.expiry?.timeIntervalSince(clock.date()) else { return }
        hasWrongExpiry = left <= 0
        nextEarlyRefresh = clock.now() + .seconds(max(left, 0) / 2)
    }

    /// Returns whether a 401 has to wait for the next refresh, since the last ones changed nothing.
    func isPaused(_ clock: NetworkClock) -> Bool {
        clock.now() < nextRefresh && !ends(within: .zero, clock)
    }

    func ends(within time: Duration, _ clock: NetworkClock) -> Bool {
        guard let expiry = token?.expiry, !hasWrongExpiry else { return false }
        return expiry <= clock.date().addingTimeInterval(time.timeInterval)
    }
}
