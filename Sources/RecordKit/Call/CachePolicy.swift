/// What the caches on the way to the server may do with a request.
///
/// Each is sent as the `Cache-Control` of the request (RFC 9111 section 5.2.1), unless the request or the configuration
/// sets that header itself. RecordKit has no cache and stores nothing; one that an app puts among its interceptors may
/// go by the same header.
public enum CachePolicy: Sendable, Hashable {
    /// A stored answer while it is fresh. Says nothing.
    case standard
    /// A stored answer only after the server has confirmed it: `max-age=0`.
    case revalidate
    /// The same for caches that know no `max-age` of zero: `no-cache`.
    case reload
    /// As `reload`, and the new answer is not stored: `no-cache, no-store`.
    case bypass
    /// A stored answer however old it is, otherwise the server's: `max-stale`.
    case preferStored
    /// A stored answer however old it is; without one, a 504: `only-if-cached, max-stale`.
    case onlyStored

    /// The header that says it.
    package var cacheControl: String? {
        switch self {
        case .standard: nil
        case .revalidate: "max-age=0"
        case .reload: "no-cache"
        case .bypass: "no-cache, no-store"
        case .preferStored: "max-stale"
        case .onlyStored: "only-if-cached, max-stale"
        }
    }
}
