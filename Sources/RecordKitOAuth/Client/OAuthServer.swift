import Foundation
public import RecordKit

/// The endpoints of an authorization server.
///
/// ```swift
/// let server = try await OAuthServer.discover("https://id.store.example")
/// let other = OAuthServer(tokenURL: "https://id.store.example/oauth/token")
/// ```
///
/// An endpoint has the scheme https. On the loopback interface, such as `http://localhost:8080`, http will do.
public struct OAuthServer: Sendable, Hashable {
    /// The URL of the token endpoint.
    public var tokenURL: String
    /// The URL of the authorization endpoint, which the person opens to sign in.
    public var authorizationURL: String?
    /// The URL of the device authorization endpoint (RFC 8628).
    public var deviceAuthorizationURL: String?
    /// The URL of the revocation endpoint (RFC 7009).
    public var revocationURL: String?
    /// The identifier of the server. ID tokens and redirects are compared with it.
    ///
    /// `{tenantid}` in it stands for the claim `tid` of the ID token. With
    /// `https://login.microsoftonline.com/{tenantid}/v2.0`, any Microsoft account can sign in. Compare that claim if
    /// only some tenants may.
    public var issuer: String?
    /// Whether every redirect contains the issuer, so that one without it is refused (RFC 9207).
    public var sendsIssuer: Bool

    /// Creates a server from the URLs in its documentation.
    ///
    /// - Parameters:
    ///   - tokenURL: The URL of the token endpoint.
    ///   - authorizationURL: The URL of the authorization endpoint, for an authorization code.
    ///   - deviceAuthorizationURL: The URL of the device authorization endpoint.
    ///   - revocationURL: The URL of the revocation endpoint, if there is one.
    ///   - issuer: The identifier of the server, required for ID tokens.
    ///   - sendsIssuer: Whether every redirect contains the issuer. Default: `false`.
    public init(
        tokenURL: String, authorizationURL: String? = nil, deviceAuthorizationURL: String? = nil,
        revocationURL: String? = nil, issuer: String? = nil, sendsIssuer: Bool = false
    ) {
        self.tokenURL = tokenURL
        self.authorizationURL = authorizationURL
        self.deviceAuthorizationURL = deviceAuthorizationURL
        self.revocationURL = revocationURL
        self.issuer = issuer
        self.sendsIssuer = sendsIssuer
    }
}

extension OAuthServer {
    /// Returns the endpoints that a server publishes (RFC 8414), or its OpenID configuration.
    ///
    /// Requests `/.well-known/oauth-authorization-server`, and `/.well-known/openid-configuration` if that doesn't
    /// exist.
    ///
    /// - Parameters:
    ///   - issuer: The identifier of the server: an https URL without a query. The published one must be the same,
    ///     also in a slash at its end, or have `{tenantid}` in place of a segment, such as `common`.
    ///   - network: The session that sends the requests.
    /// - Throws: `OAuthError.network(_:)` if the server publishes no endpoints, and `.badResponse(_:)` if they are
    ///   those of another issuer.
    public static func discover(
        _ issuer: String, in network: any NetworkClient = NetworkSession.shared
    ) async throws(OAuthError) -> OAuthServer {
        let base = try checked(issuer, .issuer)
        guard !base.contains("?"), let scheme = base.range(of: "://") else {
            throw .misconfigured("the issuer isn't a URL without a query")
        }
        // RFC 8414 section 3.1 inserts the well-known path before that of the issuer. OpenID appends it.
        let path = base.hasSuffix("/") ? String(base.dropLast()) : base
        let split = path[scheme.upperBound...].firstIndex(of: "/") ?? path.endIndex
        let addresses = [
            path[..<split] + "/.well-known/oauth-authorization-server" + path[split...],
            path + "/.well-known/openid-configuration",
        ]
        do {
            return try await published(at: String(addresses[0]), by: issuer, in: network)
        } catch {
            switch error {
            case .network(.status), .network(.decoding), .network(.redirectRefused):
                return try await published(at: addresses[1], by: issuer, in: network)
            default: throw error
            }
        }
    }

    private static func published(
        at address: String, by issuer: String, in network: any NetworkClient
    ) async throws(OAuthError) -> OAuthServer {
        let reply = try await network.reply(for: MetadataRequest(address: address)) { _ in }
        let metadata = reply.value
        guard isIssuer(issuer, of: metadata.issuer) else {
            throw .badResponse(
                OAuthError.BadResponse(
                    reason: "the published issuer differs from the one that was asked for, perhaps in its last slash",
                    response: reply.response))
        }
        return OAuthServer(
            tokenURL: try checked(metadata.token_endpoint, .token), authorizationURL: metadata.authorization_endpoint,
            deviceAuthorizationURL: metadata.device_authorization_endpoint,
            revocationURL: metadata.revocation_endpoint, issuer: metadata.issuer,
            sendsIssuer: metadata.authorization_response_iss_parameter_supported ?? false)
    }

    /// Returns whether an issuer is that of a server. `{tenantid}` in the server's stands for any segment of a path.
    static func isIssuer(_ issuer: String, of own: String) -> Bool {
        guard let place = own.range(of: "{tenantid}") else { return issuer == own }
        let (start, end) = (own[..<place.lowerBound], own[place.upperBound...])
        guard issuer.hasPrefix(start), issuer.dropFirst(start.count).hasSuffix(end) else { return false }
        let tenant = issuer.dropFirst(start.count).dropLast(end.count)
        return !tenant.isEmpty && !tenant.contains { "/?#".contains($0) }
    }

    /// The endpoints, as errors name them.
    enum Endpoint: String {
        case token = "token endpoint"
        case authorization = "authorization endpoint"
        case deviceAuthorization = "device authorization endpoint"
        case revocation = "revocation endpoint"
        case issuer
    }

    /// Returns the URL of an endpoint if secrets may be sent to it.
    static func checked(_ address: String?, _ endpoint: Endpoint) throws(OAuthError) -> String {
        guard let address else {
            throw .misconfigured("the server has no \(endpoint.rawValue); pass its URL to OAuthServer")
        }
        let url = URL(string: address)
        let isLocal = ["127.0.0.1", "::1", "localhost"].contains(url?.host(percentEncoded: false))
        let isSecure = url?.scheme?.lowercased() == "https" || url?.scheme?.lowercased() == "http" && isLocal
        guard let url, isSecure, url.host()?.isEmpty == false, url.user() == nil, url.fragment() == nil else {
            throw .misconfigured("the \(endpoint.rawValue) isn't an https URL without a user and a fragment")
        }
        return address
    }
}

/// A request for the metadata of a server.
private struct MetadataRequest: NetworkRequest {
    /// The members that are used, by their names in RFC 8414 section 2.
    struct Metadata: Decodable, Sendable {
        var issuer: String
        var token_endpoint: String
        var authorization_endpoint: String?
        var device_authorization_endpoint: String?
        var revocation_endpoint: String?
        var authorization_response_iss_parameter_supported: Bool?
    }

    typealias ValueType = Metadata
    typealias ErrorType = OAuthError

    let address: String

    var baseURL: String { address }
    var path: RequestPath { "" }
    var options: RequestOptions {
        RequestOptions(deadline: .seconds(120), sizeLimit: 1 << 20, redirects: .sameOrigin(limit: 5))
    }
}
