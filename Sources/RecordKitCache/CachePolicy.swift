public import RecordKit

/// How a request uses the cache.
///
/// ```swift
/// var options: RequestOptions { RequestOptions { $0.cache = .cacheFirst } }
/// ```
@nonexhaustive
public enum CachePolicy: RequestOption {
    /// Uses stored responses as the server allows (RFC 9111). The default.
    case standard
    /// Uses a stored response only after the server has confirmed it.
    ///
    /// A fresh response with `immutable` is used without that (RFC 8246). The request asks other caches for the same
    /// with `Cache-Control: max-age=0`.
    case validate
    /// Sends the request without conditions, and stores the response.
    ///
    /// The request asks other caches for the same with `Cache-Control: no-cache`.
    case reload
    /// Sends the request, with conditions like ``validate``. If no server responds, or one responds with 500, 502, 503
    /// or 504, uses any stored response, even one that is stale or that the server wants to be validated.
    ///
    /// The stored response is used after the first attempt: `RetryInterceptor` then has nothing to repeat.
    case networkFirst
    /// Uses any stored response, even one that is stale or that the server wants to be validated. Otherwise, sends the
    /// request.
    case cacheFirst
    /// Uses any stored response, like ``cacheFirst``, and never sends the request.
    ///
    /// If there is none, the call ends with `NetworkError.interceptor`. No server was reached.
    case cacheOnly
    /// Neither uses nor stores responses. A request with an unsafe method still invalidates stored responses.
    case never
}

extension RequestOptions {
    /// How the request uses the cache. Default: ``CachePolicy/standard``.
    public var cache: CachePolicy? {
        get { self[CachePolicy.self] }
        set { self[CachePolicy.self] = newValue }
    }
}
