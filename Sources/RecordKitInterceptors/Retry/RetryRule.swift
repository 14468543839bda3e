public import RecordKit

/// Whether ``RetryInterceptor`` may send a request again that failed for a reason that may pass.
///
/// It does not concern what is no failure: a 401 that ``AuthorizationInterceptor`` refreshes a token for, and a redirect.
public enum RetryRule: RequestOption {
    case never
    /// Where sending it twice does no harm: an idempotent method (RFC 9110 section 9.2.2), an `Idempotency-Key`, or the
    /// certainty that nothing reached the server.
    case whenSafe
    /// Also with a method that is not idempotent: the app knows that this request may arrive twice.
    case always
}

extension RequestOptions {
    /// Whether the request may be sent again. Default: ``RetryRule/whenSafe``.
    public var retry: RetryRule? {
        get { self[RetryRule.self] }
        set { self[RetryRule.self] = newValue }
    }

    /// Options with a rule for retries.
    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, redirects: RedirectPolicy? = nil,
        expectedType: String? = nil, retry: RetryRule
    ) {
        self.init(
            timeout: timeout, deadline: deadline, sizeLimit: sizeLimit, redirects: redirects,
            expectedType: expectedType)
        self.retry = retry
    }
}
