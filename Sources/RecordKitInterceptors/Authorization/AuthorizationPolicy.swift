public import RecordKit

/// Whether ``AuthorizationInterceptor`` adds its credential to a request.
///
/// ```swift
/// var options: RequestOptions {
///     switch self {
///     case .signIn: RequestOptions { $0.authorization = .never }
///     case .newReleases: RequestOptions { $0.authorization = .optional }
///     case .orders: RequestOptions()
///     }
/// }
/// ```
@nonexhaustive
public enum AuthorizationPolicy: RequestOption {
    /// The request is sent with the credential. Without a token, and if no new one can be had, the call fails.
    case required
    /// The request is sent with the credential if there is one, otherwise without.
    ///
    /// A token in the store is used, and one that is about to expire is refreshed first. If that fails, the request is
    /// sent without it. A 401 is returned to the caller, and no token is refreshed for it. The next call refreshes a
    /// token that was rejected.
    case optional
    /// The request is sent without the credential, such as a sign-in. A 401 is returned to the caller.
    case never
}

extension RequestOptions {
    /// Whether the request is sent with a credential. Default: `AuthorizationPolicy.required`.
    public var authorization: AuthorizationPolicy? {
        get { self[AuthorizationPolicy.self] }
        set { self[AuthorizationPolicy.self] = newValue }
    }
}
