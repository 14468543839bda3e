public import Foundation

/// The base URL of a service: its scheme, host, port, path prefix and API version.
///
/// A string literal is a base URL: `"https://store.example/v1"`. An app declares its environments once, and then writes
/// `.staging`:
///
/// ```swift
/// extension NetworkEnvironment {
///     static let production = NetworkEnvironment(
///         host: "store.example", version: "v1")
///     static let staging = NetworkEnvironment(
///         host: "staging.store.example", port: 8443, version: "v2")
/// }
/// ```
///
/// The first request that uses an invalid environment fails with the reason.
public struct NetworkEnvironment: Sendable, Hashable {
    /// The base of every URL, such as `https://store.example:8443/api/v1`.
    public let baseURL: String
    /// The reason why the environment is invalid, redacted, as part of a sentence. `nil` if it is valid.
    ///
    /// A transport may accept less: Linux's URLSession rejects an IPv6 address with a zone.
    public private(set) var invalidReason: String?

    /// Creates an environment from its parts.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, `https` or `http`.
    ///   - host: A name or an address. An IPv6 address is in brackets.
    ///   - port: The port. `nil` uses the port of the scheme.
    ///   - pathPrefix: The start of every path, such as `api`.
    ///   - version: The last segment of the base URL, such as `v1`.
    public init(
        scheme: String = "https", host: String, port: Int? = nil, pathPrefix: RequestPath = "", version: String? = nil
    ) {
        var base = "\(scheme)://\(host)"
        if let port { base += ":\(port)" }
        var environment = NetworkEnvironment(base)
        if host.contains(where: { "/?#@".contains($0) }) || host.contains(":") && !host.hasPrefix("[") {
            environment.invalidReason =
                "its host is more than a name or an address; pass scheme, port and path separately"
        }
        if !pathPrefix.encoded.isEmpty || pathPrefix.invalidReason != nil {
            environment = environment.appending(pathPrefix)
        }
        if let version { environment = environment.appending("\(version)") }
        self = environment
    }

    /// Creates an environment from a base URL.
    ///
    /// - Parameter baseURL: An absolute http or https URL without a query, a fragment or credentials.
    public init(_ baseURL: String) {
        self.init(baseURL, BaseURL.invalidReason(baseURL))
    }

    /// Creates an environment from a base URL, such as that of a local server.
    ///
    /// - Parameter baseURL: An absolute http or https URL without a query, a fragment or credentials.
    public init(_ baseURL: URL) {
        self.init(baseURL.absoluteString)
    }

    private init(_ baseURL: String, _ invalidReason: String?) {
        // A valid base URL contains nothing to redact.
        self.baseURL = invalidReason == nil ? baseURL : BaseURL.redacted(baseURL)
        self.invalidReason = invalidReason
    }

    /// Returns an environment below this one, such as that of a tenant or a bucket.
    ///
    /// ```swift
    /// let records = environment.appending("buckets/\(bucket)")
    /// ```
    ///
    /// - Parameter path: The path to append. An interpolated value may contain any character.
    public func appending(_ path: RequestPath) -> NetworkEnvironment {
        NetworkEnvironment(BaseURL.join(baseURL, path.encoded), invalidReason ?? path.invalidReason)
    }
}

extension NetworkEnvironment: ExpressibleByStringLiteral {
    /// Creates an environment from a base URL.
    ///
    /// - Parameter baseURL: An absolute http or https URL without a query, a fragment or credentials.
    public init(stringLiteral baseURL: String) {
        self.init(baseURL, BaseURL.invalidReason(baseURL))
    }
}
