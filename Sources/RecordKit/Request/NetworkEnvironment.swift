/// Where the servers are: scheme, host, port, path prefix and API version.
///
/// An app names its environments once, and writes `.staging` from then on:
///
/// ```swift
/// extension NetworkEnvironment {
///     static let production = NetworkEnvironment(host: "store.example", version: "v1")
///     static let staging = NetworkEnvironment(host: "staging.store.example", port: 8443, version: "v2")
/// }
/// ```
///
/// What is wrong in one is reported when the first request is built with it.
public struct NetworkEnvironment: Sendable, Hashable {
    /// The base of every URL, such as `https://store.example:8443/api/v1`.
    public let baseURL: String
    /// Why no request can be built with it, as the end of a sentence, redacted; nil when one can. A transport may
    /// refuse more: Linux's URLSession takes no IPv6 address with a zone.
    public private(set) var problem: String?

    /// - Parameters:
    ///   - scheme: `https` or `http`.
    ///   - host: a name or an address; an IPv6 address in brackets.
    ///   - port: nil for the scheme's own.
    ///   - pathPrefix: what every path begins with, such as `api`.
    ///   - version: a last segment such as `v1`.
    public init(
        scheme: String = "https", host: String, port: Int? = nil, pathPrefix: RequestPath = "", version: String? = nil
    ) {
        var base = "\(scheme)://\(host)"
        if let port { base += ":\(port)" }
        var environment = NetworkEnvironment(base)
        if host.contains(where: { "/?#@".contains($0) }) || host.contains(":") && !host.hasPrefix("[") {
            environment.problem = "its host is more than a name or an address"
        }
        if !pathPrefix.encoded.isEmpty { environment = environment.appending(pathPrefix) }
        if let version { environment = environment.appending("\(version)") }
        self = environment
    }

    /// An absolute http or https URL, without query, fragment or credentials.
    public init(_ baseURL: String) {
        self.init(baseURL, problem: BaseURL.problem(baseURL))
    }

    private init(_ baseURL: String, problem: String?) {
        // A valid one holds nothing to redact.
        self.baseURL = problem == nil ? baseURL : BaseURL.redacted(baseURL)
        self.problem = problem
    }

    /// An environment below this one: a tenant or a bucket, whatever its name holds.
    ///
    /// ```swift
    /// environment.appending("buckets/\(bucket)")
    /// ```
    public func appending(_ path: RequestPath) -> NetworkEnvironment {
        NetworkEnvironment(BaseURL.join(baseURL, path.encoded), problem: problem ?? path.problem)
    }
}
