/// A policy for redirects.
@nonexhaustive
public enum RedirectPolicy: Sendable, Equatable {
    /// Follows redirects to any http or https URL, at most `limit` in one attempt.
    ///
    /// Follows a redirect from https to http only if `allowsInsecure` is true. A data task follows 19 at most, since
    /// URLSession stops after 20.
    case follow(limit: Int = 10, allowsInsecure: Bool = false)
    /// Follows redirects to the same scheme, host and port, at most `limit` in one attempt.
    ///
    /// Any other redirect ends the call with ``NetworkError/redirectRefused(_:)``.
    case sameOrigin(limit: Int = 10)
    /// Follows no redirects. The redirect is the response.
    case never

    var limit: Int {
        switch self {
        case .follow(let limit, _), .sameOrigin(let limit): limit
        case .never: 0
        }
    }

    var allowsInsecure: Bool {
        if case .follow(_, true) = self { true } else { false }
    }
}
