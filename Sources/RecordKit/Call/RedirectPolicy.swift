/// Which redirects are followed.
public struct RedirectPolicy: Sendable, Equatable {
    public enum Scope: Sendable, Hashable {
        /// To any http or https address.
        case anywhere
        /// As long as scheme, host and port stay the same; any other ends as ``NetworkError/redirectRefused(_:)``.
        case sameOrigin
        /// None: the redirect itself is the answer.
        case nowhere
    }

    public var scope: Scope
    /// How many redirects one attempt may follow. A data task that is handed back follows 19 at most, since URLSession
    /// ends after 20.
    public var limit: Int
    /// Whether a redirect may lead from https to http.
    public var allowsInsecure: Bool

    public init(_ scope: Scope, limit: Int = 10, allowsInsecure: Bool = false) {
        self.scope = scope
        self.limit = limit
        self.allowsInsecure = allowsInsecure
    }

    public static let follow = RedirectPolicy(.anywhere)
    public static let sameOrigin = RedirectPolicy(.sameOrigin)
    public static let never = RedirectPolicy(.nowhere)
}
