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
    /// Follows what another policy follows, if the redirect keeps the method and the body: a 307 or 308, and any
    /// redirect of a GET or HEAD.
    ///
    /// Any other redirect is the response. So the page that a 302 to a sign-in form leads to isn't taken for the
    /// response to a POST.
    indirect case sameMethod(RedirectPolicy = .follow())

    /// The policy for the redirects that keep the method.
    var target: RedirectPolicy {
        if case .sameMethod(let policy) = self { policy.target } else { self }
    }

    /// Returns whether a redirect with this status is followed, or refused. Otherwise, it is the response.
    func applies(to status: Int, of method: HTTPMethod) -> Bool {
        if case .sameMethod = self, status < 307, method != .get, method != .head { return false }
        return target != .never
    }

    var limit: Int {
        switch self {
        case .follow(let limit, _), .sameOrigin(let limit): limit
        case .sameMethod: target.limit
        case .never: 0
        }
    }

    var allowsInsecure: Bool {
        if case .follow(_, true) = target { true } else { false }
    }
}
