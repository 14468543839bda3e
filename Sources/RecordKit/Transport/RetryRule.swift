/// Whether ``Retry`` may send a request again that failed for a reason that may pass.
///
/// It says nothing of what is no failure: a 401 that ``Authorization`` renews a token for, and a redirect.
public enum RetryRule: Sendable, Hashable {
    case never
    /// Where sending it twice cannot do harm: an idempotent method (RFC 9110 section 9.2.2), an `Idempotency-Key`, or
    /// the certainty that nothing reached the server.
    case whenSafe
    /// Also with a method that is not idempotent: the app knows that this request may arrive twice.
    case always
}
