/// What may be set for a single request, and for all of them in ``NetworkConfiguration/options``.
///
/// Nil takes the configuration's value; where that is nil too, the default that is named here.
public struct RequestOptions: Sendable, Equatable {
    /// How long one attempt may take, from the moment it has a connection slot to the last byte, redirects included.
    /// Any time above zero; a year stands for every longer one. Default: 60 seconds.
    public var timeout: Duration?
    /// How long the whole call may take, retries and waits included. Any time above zero; a year stands for every
    /// longer one. Default: no limit.
    public var deadline: Duration?
    /// The largest body that is taken, in bytes after decompression; a transfer past it is stopped while it arrives.
    /// The body of a redirect that is followed does not count. Default: 64 MB.
    public var sizeLimit: Int?
    /// Which redirects are followed. Default: up to 10, to anywhere but from https down to http.
    public var redirects: RedirectPolicy?

    /// What caches may do. Default: ``CachePolicy/standard``.
    public var cache: CachePolicy?
    /// The content type of a 2xx with a body: a media type, or a range such as `image/*`. `application/json` stands for
    /// every JSON type, `application/xml` for every XML type. Any other is ``UnexpectedType``, in a
    /// ``NetworkError/decoding(_:)``: the page of a captive portal, mostly. It is also asked for in `Accept`.
    /// Default: `*/*`, anything.
    public var expectedType: String?
    /// Whether the request may be sent again. Default: ``RetryRule/whenSafe``.
    public var retry: RetryRule?

    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, redirects: RedirectPolicy? = nil,
        cache: CachePolicy? = nil, expectedType: String? = nil, retry: RetryRule? = nil
    ) {
        self.timeout = timeout
        self.deadline = deadline
        self.sizeLimit = sizeLimit
        self.redirects = redirects
        self.cache = cache
        self.expectedType = expectedType
        self.retry = retry
    }

    /// These options, with those of `other` where they say nothing.
    func filled(from other: RequestOptions) -> RequestOptions {
        RequestOptions(
            timeout: timeout ?? other.timeout, deadline: deadline ?? other.deadline,
            sizeLimit: sizeLimit ?? other.sizeLimit, redirects: redirects ?? other.redirects,
            cache: cache ?? other.cache, expectedType: expectedType ?? other.expectedType, retry: retry ?? other.retry)
    }

    /// What holds where neither the request nor the configuration says anything.
    public static let standard = RequestOptions(
        timeout: standardTimeout, sizeLimit: standardSizeLimit, redirects: .follow, cache: .standard,
        expectedType: "*/*",
        retry: .whenSafe)

    fileprivate static let standardTimeout = Duration.seconds(60)
    fileprivate static let standardSizeLimit = 64 << 20
}

extension NetworkCall {
    package var timeout: Duration { options.timeout ?? RequestOptions.standardTimeout }
    package var sizeLimit: Int { options.sizeLimit ?? RequestOptions.standardSizeLimit }
}
