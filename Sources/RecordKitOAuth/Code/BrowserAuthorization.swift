public import Foundation
public import RecordKit
import RecordKitDigest
public import RecordKitInterceptors
import Synchronization

/// A sign-in in a browser, which redirects to the app with a code (RFC 6749 section 4.1, with PKCE, RFC 7636).
///
/// ```swift
/// let listener = try RedirectListener()
/// let signIn = try client.browserAuthorization(
///     redirectURL: listener.redirectURL)
/// print("Open \(signIn.url)")
/// let redirect = try await listener.redirect(for: signIn)
/// try await tokens.use(signIn.token(from: redirect))
/// ```
public final class BrowserAuthorization: Sendable {
    /// The URL to open in a browser, never in a web view (RFC 8252 section 8.12).
    public let url: URL
    private let client: OAuthClient
    private let redirectURL: String
    private let state = Secret.random()
    private let verifier: Secret
    /// The nonce, if an ID token was requested.
    private let nonce: Secret?
    private let isUsed = Atomic<Bool>(false)

    init(
        _ client: OAuthClient, redirectURL: String, parameters: RequestQuery, verifier: Secret = .random()
    ) throws(OAuthError) {
        let endpoint = try OAuthServer.checked(client.server.authorizationURL, .authorization)
        if client.server.sendsIssuer, client.server.issuer == nil {
            throw .misconfigured("the server has no issuer to compare with that of a redirect; pass it to OAuthServer")
        }
        self.client = client
        self.redirectURL = redirectURL
        self.verifier = verifier
        nonce = client.scopes.contains("openid") ? .random() : nil
        let fields: RequestQuery = [
            "response_type": "code", "client_id": client.id, "redirect_uri": redirectURL, "scope": client.scope,
            "state": state.value, "nonce": nonce?.value, "code_challenge": Self.challenge(for: verifier),
            "code_challenge_method": "S256",
        ]
        let query = client.adding(client.parameters, to: client.adding(parameters, to: fields))
        if let error = query.error { throw .misconfigured("a parameter can't be encoded: \(error)") }
        let separator = endpoint.contains("?") ? "&" : "?"
        guard let url = URL(string: endpoint + separator + query.encoded) else {
            throw .misconfigured("the authorization endpoint isn't a URL")
        }
        self.url = url
    }

    /// Returns the challenge of a verifier: the base64url of its SHA-256 (RFC 7636 section 4.2).
    static func challenge(for verifier: Secret) -> String {
        Data(MessageDigest.of(Data(verifier.value.utf8), .sha256).bytes).base64URLEncoded
    }

    /// Checks the redirect, and exchanges its code for a token.
    ///
    /// A redirect with a wrong `state` is refused, and doesn't use up the sign-in. Any other may be given once.
    ///
    /// - Parameter redirect: The URL that the browser was redirected to.
    /// - Throws: ``OAuthError/invalidRedirect(_:)``, or ``OAuthError/refused(_:)`` with the code `access_denied` if the
    ///   person said no.
    public func token(from redirect: URL) async throws(OAuthError) -> TokenSet {
        guard hasState(redirect) else { throw .invalidRedirect(.wrongState) }
        let items = Self.items(of: redirect)
        let fields = Dictionary(items.map { ($0.name, TokenSet.Field.string($0.value)) }) { first, _ in first }
        guard ["iss", "code", "error"].allSatisfy({ name in items.count { $0.name == name } <= 1 }) else {
            throw .invalidRedirect(.incomplete)
        }
        if let issuer = client.server.issuer, fields["iss"] != nil || client.server.sendsIssuer,
            !OAuthServer.isIssuer(fields["iss"]?.string ?? "", of: issuer)
        {
            throw .invalidRedirect(.otherIssuer)
        }
        let refusal = OAuthError.Refusal(fields)
        guard refusal != nil || fields["code"]?.string?.isEmpty == false else { throw .invalidRedirect(.incomplete) }
        guard !isUsed.exchange(true, ordering: .relaxed) else { throw .invalidRedirect(.usedBefore) }
        if let refusal { throw .refused(refusal) }
        return try await client.token(
            [
                "grant_type": "authorization_code", "code": fields["code"]?.string, "redirect_uri": redirectURL,
                "code_verifier": verifier.value,
            ], nonce: nonce?.value)
    }
}

extension BrowserAuthorization {
    private static func items(of url: URL) -> [RequestQuery.Item] {
        RequestQuery(parsing: url.query(percentEncoded: true) ?? "").items
    }

    /// Returns whether a redirect belongs to this sign-in.
    func hasState(_ redirect: URL) -> Bool {
        Self.items(of: redirect).filter { $0.name == "state" }.map(\.value) == [state.value]
    }
}

extension OAuthClient {
    /// Starts a sign-in in a browser. Each sign-in needs a new authorization.
    ///
    /// - Parameters:
    ///   - redirectURL: The URL that the browser is redirected to, as it is registered with the server: that of a
    ///     ``RedirectListener`` for a tool, or one with the app's own scheme.
    ///   - parameters: Further parameters of the URL, such as `prompt` or `login_hint`.
    /// - Throws: ``OAuthError/misconfigured(_:)`` if the server has no authorization endpoint, or sends an issuer that
    ///   isn't known.
    public func browserAuthorization(
        redirectURL: String, parameters: RequestQuery = [:]
    ) throws(OAuthError) -> BrowserAuthorization {
        try BrowserAuthorization(self, redirectURL: redirectURL, parameters: parameters)
    }
}
