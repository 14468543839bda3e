/// What may be set for a single request, and for all of them in ``NetworkConfiguration/options``.
///
/// Nil takes the configuration's value; where that is nil too, the default that is named here.
public struct RequestOptions: Sendable, Hashable {
    /// How long one attempt may take, from the moment it has a connection slot to the last byte. Default: 60 seconds.
    public var timeout: Duration?
    /// How long the whole call may take, retries and waits included. Default: no limit.
    public var deadline: Duration?
    /// The largest body that is taken, in bytes after decompression. Default: 64 MB.
    public var sizeLimit: Int?
    /// Which redirects are followed. Default: up to 10, to anywhere but from https down to http.
    public var redirects: RedirectPolicy?

    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, redirects: RedirectPolicy? = nil
    ) {
        self.timeout = timeout
        self.deadline = deadline
        self.sizeLimit = sizeLimit
        self.redirects = redirects
    }

    /// These options, with those of `other` where they say nothing.
    func filled(from other: RequestOptions) -> RequestOptions {
        RequestOptions(
            timeout: timeout ?? other.timeout, deadline: deadline ?? other.deadline,
            sizeLimit: sizeLimit ?? other.sizeLimit, redirects: redirects ?? other.redirects)
    }

    /// What holds where neither the request nor the configuration says anything.
    public static let standard = RequestOptions(timeout: .seconds(60), sizeLimit: 64 << 20, redirects: .follow)
}
