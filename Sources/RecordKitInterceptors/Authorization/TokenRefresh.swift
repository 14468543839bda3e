import Foundation
import RecordKit

/// One refresh: which token it replaces, and whether the store has a later one from another process.
///
/// It compares the store with what the source knew when the refresh began.
struct TokenRefresh: Sendable {
    /// What is done next.
    enum Step: Sendable {
        /// Asks for a new token in place of this one.
        case request(ended: TokenSet?)
        /// Uses a token that another process has stored.
        case take(TokenSet)
        /// Uses a new token, and stores it.
        ///
        /// - Parameters:
        ///   - over: The content of the store.
        ///   - onlyIfPresent: Whether the store has a token, and must still have one.
        case store(TokenSet, over: TokenSet?, onlyIfPresent: Bool)
        /// Uses the rejected token again, because the last refreshes changed nothing.
        case reuse
        /// Ends with the error of an earlier refresh of the same token.
        case failAgain(NetworkError)
        case fail(RefreshFailure)
    }

    private let token: TokenSet?
    private let stored: TokenSet?
    private let isFirst: Bool
    private let pacing: RefreshPacing
    private let lastEnd: (token: TokenSet, error: NetworkError)?
    /// The content of the store now, or the last known one.
    private var found: TokenSet?
    private var isInStore = false
    /// The token that is replaced.
    private var ended: TokenSet?

    /// Begins a refresh.
    ///
    /// - Parameters:
    ///   - token: The token of the source.
    ///   - stored: The last known content of the store.
    ///   - isFirst: Whether the store wasn't read before.
    ///   - pacing: When the token may be refreshed.
    ///   - lastEnd: A token that can't be refreshed, and the error that said so.
    init(
        of token: TokenSet?, stored: TokenSet?, isFirst: Bool, _ pacing: RefreshPacing,
        after lastEnd: (token: TokenSet, error: NetworkError)?
    ) {
        self.token = token
        self.stored = stored
        self.isFirst = isFirst
        self.pacing = pacing
        self.lastEnd = lastEnd
    }

    /// Whether a token in the store may be used. After a sign-out, the store may still hold the old token.
    var trustsStore: Bool { isFirst || token != nil }

    /// Handles the content of the store, or its error.
    mutating func loaded(_ content: Result<TokenSet?, any Error>, at moment: RefreshPacing.Moment) -> Step {
        let now: TokenSet?
        switch content {
        case .success(let content): now = content
        // While a token is known, a store that fails counts as unchanged.
        case .failure where token != nil: now = stored
        case .failure(let error): return .fail(RefreshFailure(ofStore: error))
        }
        isInStore = now != nil
        found = now ?? stored
        // Another process may have refreshed the token or signed out. An unchanged store is older than a token that
        // couldn't be saved.
        let isNew = trustsStore && (isFirst || now != stored)
        if isNew, let now, isUsable(now, at: moment) { return .take(now) }
        ended = isNew ? now : token
        if let lastEnd, ended == lastEnd.token { return .failAgain(lastEnd.error) }
        return pacing.isPaused(at: moment) ? .reuse : .request(ended: ended)
    }

    /// Handles a new token.
    func received(_ token: TokenSet) -> Step {
        var token = token
        if token.refreshToken == nil { token.refreshToken = ended?.refreshToken }
        return .store(token, over: found, onlyIfPresent: isInStore)
    }

    /// Handles an error in place of a new token.
    ///
    /// - Parameter theirs: The content of the store after the error. Another process may have used the refresh token
    ///   first, if it is valid only once.
    func failed(_ error: any Error, beside theirs: TokenSet?, at moment: RefreshPacing.Moment) -> Step {
        if trustsStore, let theirs, theirs != found, isUsable(theirs, at: moment) { return .take(theirs) }
        return .fail(RefreshFailure(error, refreshing: ended, hiding: [token, found]))
    }

    /// Returns whether a stored token is a different one, and hasn't expired.
    private func isUsable(_ stored: TokenSet, at moment: RefreshPacing.Moment) -> Bool {
        stored != token && stored.expiry.map { $0 > moment.date } ?? true
    }
}
