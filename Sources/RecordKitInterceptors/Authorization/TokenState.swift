import Foundation
import RecordKit

/// What a source keeps of its token: which one it is, what calls do with it, and how its refreshes ended.
struct TokenState: Sendable {
    /// The token and the refreshes that a call has seen.
    struct Version: Sendable {
        /// The number of tokens so far. Zero until the store was read.
        var generation = 0
        /// The number of refreshes that had ended.
        var refreshes = 0
    }

    /// The credential of a call, with the version of the token it comes from.
    struct Ticket: Sendable {
        let credential: Credential
        let version: Version
    }

    /// What a call does before it is sent.
    enum Step: Sendable {
        case sign(Ticket)
        /// Refreshes the token. If that fails, the call is signed with the ticket, if any.
        case refresh(Version, orSign: Ticket?)
    }

    /// What a task does that is to refresh a token.
    enum Beginning: Sendable {
        case refresh(TokenRefresh)
        /// Nothing: another refresh, a sign-in or a sign-out has ended meanwhile.
        case over(Result<Void, NetworkError>)
    }

    private(set) var token: TokenSet?
    /// The status, or `nil` until the store was read.
    private(set) var status: TokenSource.Status?
    /// The credential made from the token.
    private var credential: Credential?
    /// The last known content of the store.
    private var stored: TokenSet?
    private var version = Version()
    private var pacing: RefreshPacing
    /// The error of the last refresh of this generation.
    private var failure: NetworkError?
    /// The token that can't be refreshed, after an error that ends the sign-in.
    private var ended: TokenSet?

    /// Begins before the store was read.
    init(leeway: Duration) {
        pacing = RefreshPacing(expiry: nil, leeway: leeway)
    }

    // MARK: Calls

    /// What calls are signed with, or `nil` if there is no token, or it was rejected.
    var ticket: Ticket? {
        guard let credential, !pacing.isRefused else { return nil }
        return Ticket(credential: credential, version: version)
    }

    /// The version of the token, if it was rejected.
    var refused: Version? { pacing.isRefused ? version : nil }

    /// Returns what a call does that is about to be sent.
    func step(at moment: RefreshPacing.Moment) -> Step {
        guard let ticket else { return .refresh(version, orSign: nil) }
        switch pacing.need(at: moment) {
        case .token: return .sign(ticket)
        case .earlyRefresh: return .refresh(version, orSign: ticket)
        case .refresh: return .refresh(version, orSign: nil)
        }
    }

    /// Notes that a server has rejected the token of a ticket.
    mutating func refuse(_ ticket: Ticket) {
        if isCurrent(ticket.version) { pacing.refuse() }
    }

    /// Notes that a server has accepted the token of a ticket.
    mutating func accept(_ ticket: Ticket) {
        if isCurrent(ticket.version) { pacing.accept() }
    }

    /// Notes that a refresh failed before the token has expired.
    mutating func failedEarly(at moment: RefreshPacing.Moment) {
        pacing.failedEarly(at: moment)
    }

    // MARK: Refreshes

    /// Returns whether a version is that of the present token.
    func isCurrent(_ version: Version) -> Bool { version.generation == self.version.generation }

    /// Returns how a refresh of a token begins.
    ///
    /// - Parameter version: What the call has seen. A later failure counts as its own.
    func beginRefresh(of version: Version) -> Beginning {
        if !isCurrent(version) { return .over(.success(())) }
        if let failure, self.version.refreshes > version.refreshes { return .over(.failure(failure)) }
        return .refresh(
            TokenRefresh(
                of: token, stored: stored, isFirst: version.generation == 0, pacing,
                after: failure.flatMap { failure in ended.map { ($0, failure) } }))
    }

    /// Ends a refresh with a token. Returns false if there is another one by now, from a sign-in or a sign-out.
    ///
    /// - Parameters:
    ///   - stored: The content of the store.
    ///   - moment: The time of the refresh, or `nil` for a token that another process has stored.
    mutating func end(
        _ version: Version, with token: TokenSet, _ credential: Credential, stored: TokenSet?,
        refreshedAt moment: RefreshPacing.Moment?
    ) -> Bool {
        guard isCurrent(version) else { return false }
        let next = moment.map { pacing.refreshed(expiry: token.expiry, at: $0) }
        replace(token, credential, stored ?? self.stored, next ?? pacing.replaced(expiry: token.expiry))
        return true
    }

    /// Ends a refresh with an error. Returns the outcome for the calls that wait.
    mutating func end(_ version: Version, with failure: RefreshFailure) -> Result<Void, NetworkError> {
        // A sign-in or sign-out in the meantime is the result for the calls that wait.
        guard isCurrent(version) else { return .success(()) }
        self.version.refreshes += 1
        self.failure = failure.error
        if let status = failure.status { self.status = status }
        if failure.isFinal { ended = failure.ended }
        return .failure(failure.error)
    }

    /// Uses a rejected token again, because the last refreshes changed nothing.
    mutating func reuse() {
        pacing.reuse()
    }

    // MARK: Sign-ins and the store

    /// Uses the token of a sign-in, or none after a sign-out.
    mutating func use(_ token: TokenSet?, _ credential: Credential?) {
        replace(token, credential, stored, pacing.replaced(expiry: token?.expiry))
    }

    /// Notes that the store has a token now, or none.
    mutating func saved(_ token: TokenSet?) {
        stored = token
    }

    /// Drops a refreshed token that wasn't saved, because another process has signed out.
    ///
    /// - Parameter version: The version that was refreshed.
    mutating func signedOutElsewhere(afterRefreshOf version: Version) {
        if self.version.generation == version.generation + 1 { use(nil, nil) }
    }

    /// Returns the later one of the token and the content of the store.
    ///
    /// An unchanged store is older than a token that couldn't be saved. A changed one has a later token.
    func latest(beside stored: TokenSet?) -> TokenSet? {
        token == nil || stored != self.stored ? stored ?? token : token
    }

    private mutating func replace(
        _ token: TokenSet?, _ credential: Credential?, _ stored: TokenSet?, _ pacing: RefreshPacing
    ) {
        (self.token, self.credential, self.stored, self.pacing) = (token, credential, stored, pacing)
        (failure, ended) = (nil, nil)
        version = Version(generation: version.generation + 1, refreshes: version.refreshes + 1)
        status = token == nil ? .signedOut : .signedIn
    }
}
