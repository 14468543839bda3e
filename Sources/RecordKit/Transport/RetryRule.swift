/// Whether a request may be sent again when it failed for a reason that may pass. A retrying interceptor reads it;
/// without one nothing is sent again.
public enum RetryRule: Sendable, Hashable {
    /// Once, whatever comes.
    case never
    /// Where sending it twice cannot do harm: an idempotent method (RFC 9110 section 9.2.2), an `Idempotency-Key`, or
    /// the certainty that nothing reached the server.
    case whenSafe
    /// Also with a method that is not idempotent: the app knows that this request may arrive twice.
    case always
}
