extension HTTPHeaders {
    /// The names of common header fields.
    ///
    /// ```swift
    /// headers[.ifMatch] = record.version
    /// ```
    public enum Name: String, Sendable, CaseIterable {
        /// The media types that the client accepts (RFC 9110 section 12.5.1).
        case accept = "Accept"
        /// The content codings that the client accepts (RFC 9110 section 12.5.3).
        case acceptEncoding = "Accept-Encoding"
        /// The languages that the client prefers (RFC 9110 section 12.5.4).
        case acceptLanguage = "Accept-Language"
        /// The methods that the resource supports (RFC 9110 section 10.2.1).
        case allow = "Allow"
        /// The credentials for the server (RFC 9110 section 11.6.2).
        case authorization = "Authorization"
        /// The directives for caches (RFC 9111 section 5.2).
        case cacheControl = "Cache-Control"
        /// The disposition and the file name of the content (RFC 6266).
        case contentDisposition = "Content-Disposition"
        /// The codings of the content, such as `gzip` (RFC 9110 section 8.4).
        case contentEncoding = "Content-Encoding"
        /// The languages of the content (RFC 9110 section 8.5).
        case contentLanguage = "Content-Language"
        /// The length of the content in bytes (RFC 9110 section 8.6).
        case contentLength = "Content-Length"
        /// The position of the content in its representation (RFC 9110 section 14.4).
        case contentRange = "Content-Range"
        /// The media type of the content (RFC 9110 section 8.3).
        case contentType = "Content-Type"
        /// The cookies of a request (RFC 6265 section 4.2).
        case cookie = "Cookie"
        /// The date and time of the message (RFC 9110 section 6.6.1).
        case date = "Date"
        /// The entity tag of the representation (RFC 9110 section 8.8.3).
        case eTag = "ETag"
        /// The date after which the response is stale (RFC 9111 section 5.3).
        case expires = "Expires"
        /// The key by which a server recognizes a retry (draft-ietf-httpapi-idempotency-key-header).
        case idempotencyKey = "Idempotency-Key"
        /// The condition that an entity tag matches (RFC 9110 section 13.1.1).
        case ifMatch = "If-Match"
        /// The condition that the representation changed after a date (RFC 9110 section 13.1.3).
        case ifModifiedSince = "If-Modified-Since"
        /// The condition that no entity tag matches (RFC 9110 section 13.1.2).
        case ifNoneMatch = "If-None-Match"
        /// The condition for a range request (RFC 9110 section 13.1.5).
        case ifRange = "If-Range"
        /// The condition that the representation didn't change after a date (RFC 9110 section 13.1.4).
        case ifUnmodifiedSince = "If-Unmodified-Since"
        /// The date of the last change (RFC 9110 section 8.8.2).
        case lastModified = "Last-Modified"
        /// The links to other resources (RFC 8288 section 3).
        case link = "Link"
        /// The target of a redirect, or the URL of a created resource (RFC 9110 section 10.2.2).
        case location = "Location"
        /// The origin that caused the request (RFC 6454 section 7).
        case origin = "Origin"
        /// The behaviors that the client prefers (RFC 7240 section 2).
        case prefer = "Prefer"
        /// The credentials for a proxy (RFC 9110 section 11.7.2).
        case proxyAuthorization = "Proxy-Authorization"
        /// The ranges that the client requests (RFC 9110 section 14.2).
        case range = "Range"
        /// The URL that the request was made from (RFC 9110 section 10.1.3).
        case referer = "Referer"
        /// The time to wait before another request (RFC 9110 section 10.2.3).
        case retryAfter = "Retry-After"
        /// The software of the server (RFC 9110 section 10.2.4).
        case server = "Server"
        /// A cookie that the response sets (RFC 6265 section 4.1).
        case setCookie = "Set-Cookie"
        /// The software of the client (RFC 9110 section 10.1.5).
        case userAgent = "User-Agent"
        /// The request fields that the response depends on (RFC 9110 section 12.5.5).
        case vary = "Vary"
        /// The challenges of the server (RFC 9110 section 11.6.1).
        case wwwAuthenticate = "WWW-Authenticate"
    }

    /// The values of a common field name joined with `", "`, or `nil` if there is none.
    ///
    /// Setting it replaces all values of the name; setting `nil` removes them.
    public subscript(name: Name) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }
}
