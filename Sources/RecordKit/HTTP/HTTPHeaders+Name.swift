extension HTTPHeaders {
    /// The names of common header fields (RFC 9110, RFC 9111, RFC 6265, RFC 8288).
    ///
    /// ```swift
    /// headers[.ifMatch] = record.version
    /// ```
    public enum Name: String, Sendable, CaseIterable {
        case accept = "Accept"
        case acceptEncoding = "Accept-Encoding"
        case acceptLanguage = "Accept-Language"
        case allow = "Allow"
        case authorization = "Authorization"
        case cacheControl = "Cache-Control"
        case contentDisposition = "Content-Disposition"
        case contentEncoding = "Content-Encoding"
        case contentLanguage = "Content-Language"
        case contentLength = "Content-Length"
        case contentRange = "Content-Range"
        case contentType = "Content-Type"
        case cookie = "Cookie"
        case date = "Date"
        case eTag = "ETag"
        case expires = "Expires"
        case idempotencyKey = "Idempotency-Key"
        case ifMatch = "If-Match"
        case ifModifiedSince = "If-Modified-Since"
        case ifNoneMatch = "If-None-Match"
        case ifRange = "If-Range"
        case ifUnmodifiedSince = "If-Unmodified-Since"
        case lastModified = "Last-Modified"
        case link = "Link"
        case location = "Location"
        case origin = "Origin"
        case prefer = "Prefer"
        case proxyAuthorization = "Proxy-Authorization"
        case range = "Range"
        case referer = "Referer"
        case retryAfter = "Retry-After"
        case server = "Server"
        case setCookie = "Set-Cookie"
        case userAgent = "User-Agent"
        case vary = "Vary"
        case wwwAuthenticate = "WWW-Authenticate"
    }

    /// The values of a common name joined with `", "`..
    public subscript(name: Name) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }
}
