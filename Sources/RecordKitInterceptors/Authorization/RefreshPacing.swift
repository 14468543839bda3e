import Foundation
import RecordKit

/// When a token is used as it is, and when it is refreshed.
struct RefreshPacing: Sendable {
    /// A time of a call's clock.
    struct Moment: Sendable {
        let now: Duration
        let date: Date

        init(now: Duration, date: Date) {
            (self.now, self.date) = (now, date)
        }

        init(_ clock: NetworkClock) {
            self.init(now: clock.now(), date: clock.date())
        }
    }

    /// What a call is signed with.
    enum Need: Sendable {
        /// The token as it is.
        case token
        /// A refreshed token, or the token as it is if the refresh fails.
        case earlyRefresh
        /// A refreshed token.
        case refresh
    }

    private let expiry: Date?
    private let leeway: Duration
    /// Whether the token had expired when it arrived. Then this device's clock is wrong, and the end is known only from
    /// a 401.
    private var hasWrongExpiry = false
    /// Whether a server has rejected the token.
    private(set) var isRefused = false
    private var isAccepted = false
    /// The number of refreshed tokens in a row that no server has accepted, including this one.
    private var unaccepted = 0
    /// The time until which a 401 doesn't refresh the token.
    private var nextRefresh: Duration = .zero
    /// The time until which a token that is about to expire is used. Set after a refresh that failed, or that
    /// returned a token with no longer lifetime.
    private var nextEarlyRefresh: Duration = .zero

    /// Begins with a token of a sign-in, or of the store.
    init(expiry: Date?, leeway: Duration) {
        self.expiry = expiry
        self.leeway = leeway
    }

    /// Begins with a refreshed token.
    ///
    /// One that is about to expire already is used for half of its lifetime. After two in a row that no server has
    /// accepted, the next refresh has to wait.
    func refreshed(expiry: Date?, at moment: Moment) -> RefreshPacing {
        var next = RefreshPacing(expiry: expiry, leeway: leeway)
        next.unaccepted = isAccepted ? 1 : unaccepted + 1
        if next.unaccepted > 1 { next.nextRefresh = moment.now + .seconds(10 << min(next.unaccepted - 2, 5)) }
        if let expiry, next.expires(within: leeway, moment) {
            let left = expiry.timeIntervalSince(moment.date)
            next.hasWrongExpiry = left <= 0
            next.nextEarlyRefresh = moment.now + .seconds(max(left, 0) / 2)
        }
        return next
    }

    /// Begins with a token that isn't a refreshed one, or without a token.
    func replaced(expiry: Date?) -> RefreshPacing {
        RefreshPacing(expiry: expiry, leeway: leeway)
    }

    func need(at moment: Moment) -> Need {
        if isRefused { return .refresh }
        if !expires(within: leeway, moment) { return .token }
        if expires(within: .zero, moment) { return .refresh }
        return moment.now < nextEarlyRefresh ? .token : .earlyRefresh
    }

    /// Notes that a server has accepted the token.
    mutating func accept() {
        if isAccepted { return }
        isAccepted = true
        nextRefresh = .zero
    }

    /// Notes that a server has rejected the token.
    mutating func refuse() {
        isRefused = true
    }

    /// Notes that a refresh of a token that hasn't expired failed.
    mutating func failedEarly(at moment: Moment) {
        nextEarlyRefresh = moment.now + .seconds(10)
    }

    /// Returns whether a rejected token is used again, because the last refreshes changed nothing.
    func isPaused(at moment: Moment) -> Bool {
        moment.now < nextRefresh && !expires(within: .zero, moment)
    }

    /// Uses a rejected token again.
    mutating func reuse() {
        isRefused = false
    }

    private func expires(within time: Duration, _ moment: Moment) -> Bool {
        guard let expiry, !hasWrongExpiry else { return false }
        return expiry <= moment.date.addingTimeInterval(time.timeInterval)
    }
}
