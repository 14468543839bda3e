import Foundation
import RecordKit
public import RecordKitInterceptors

extension OAuthClient {
    /// Returns a source of tokens for a service that acts for itself (client credentials, RFC 6749 section 4.4).
    ///
    /// The first call requests a token. The token is requested again before it expires, and after a 401.
    ///
    /// - Parameters:
    ///   - store: The place where the token is stored. Default: a store in memory.
    ///   - leeway: The time before its expiry at which a token is replaced. Default: 60 seconds.
    public func clientCredentialsTokens(
        in store: any TokenStore = MemoryTokenStore(), leeway: Duration = .seconds(60)
    ) -> TokenSource {
        TokenSource(store: store, leeway: leeway) { _ in
            try await Self.forSource { () async throws(OAuthError) in
                try await token(["grant_type": "client_credentials", "scope": scope])
            }
        }
    }

    /// Returns a source of the tokens of a person, which are refreshed before they expire and after a 401.
    ///
    /// Give it the token of a sign-in with `TokenSource.use(_:)`. Before that, a call fails with the cause
    /// ``OAuthError/signedOut``. After a refresh that the server refused for good, the cause is an ``OAuthError`` with
    /// ``OAuthError/needsSignIn``.
    ///
    /// - Parameters:
    ///   - store: The place where the token is stored. Default: a store in memory.
    ///   - leeway: The time before its expiry at which a token is refreshed. Default: 60 seconds.
    public func tokens(
        in store: any TokenStore = MemoryTokenStore(), leeway: Duration = .seconds(60)
    ) -> TokenSource {
        TokenSource(store: store, leeway: leeway) { ended in
            try await Self.forSource { () async throws(OAuthError) in
                guard let ended else { throw .signedOut }
                return try await refresh(ended)
            }
        }
    }

    /// Returns a new token for the refresh token of another (RFC 6749 section 6).
    ///
    /// What the server leaves out, such as the refresh token, stays as it was. An ID token must have the same subject
    /// as the old one (OpenID Connect Core 12.2).
    ///
    /// - Parameters:
    ///   - token: The token to refresh.
    ///   - scopes: The scopes of the new token, some of those granted before. Default: all of them.
    /// - Throws: ``OAuthError/noRefreshToken`` if there is no refresh token.
    public func refresh(_ token: TokenSet, scopes: [String]? = nil) async throws(OAuthError) -> TokenSet {
        guard let refresh = token.refreshToken else { throw .noRefreshToken }
        return try await self.token(
            [
                "grant_type": "refresh_token", "refresh_token": refresh,
                "scope": scopes.map { $0.joined(separator: " ") },
            ], after: token)
    }

    /// Signs out: removes the token of a source, then revokes it if the server has a revocation endpoint.
    ///
    /// - Parameter tokens: The source.
    /// - Throws: The error of the store, which may be one of the app, or of the revocation. The source has no token
    ///   anyway.
    public func signOut(_ tokens: TokenSource) async throws {
        guard let token = try await tokens.signOut(), server.revocationURL != nil else { return }
        try await revoke(token)
    }

    /// Revokes a token (RFC 7009): its refresh token, if any, and its access token.
    ///
    /// - Parameter token: The token. One that has ended already is no error.
    public func revoke(_ token: TokenSet) async throws(OAuthError) {
        if let refresh = token.refreshToken {
            _ = try await send(
                ["token": refresh, "token_type_hint": "refresh_token"], to: server.revocationURL, .revocation)
        }
        _ = try await send(
            ["token": token.accessToken, "token_type_hint": "access_token"], to: server.revocationURL, .revocation)
    }

    /// Requests a token.
    ///
    /// - Parameters:
    ///   - grant: The fields of the grant.
    ///   - last: The token that is refreshed.
    ///   - nonce: The value that the ID token must contain.
    func token(
        _ grant: RequestQuery, after last: TokenSet? = nil, nonce: String? = nil
    ) async throws(OAuthError) -> TokenSet {
        let fields = try await send(grant, to: server.tokenURL, .token)
        guard let access = fields["access_token"]?.string, !access.isEmpty, HTTPHeaders.isValid(value: access) else {
            throw fields.invalid("it has no access_token; check the URL of the token endpoint")
        }
        // These two need a proof with each call. Other names mean Bearer, such as "User Access Token" (eBay).
        guard !["mac", "dpop"].contains(fields["token_type"]?.string?.lowercased()) else {
            throw fields.invalid("its token_type isn't Bearer")
        }
        // An expiry that makes no sense is unknown: a 401 shows it.
        let lifetime = fields.duration("expires_in", limit: 10 * 365 * 86_400)
        let idToken = scopes.contains("openid") ? fields["id_token"]?.string : nil
        if let idToken {
            try checkIDToken(idToken, nonce: nonce, after: last?.idToken)
        } else if nonce != nil {
            throw fields.invalid("it has no id_token, though the scope openid was requested")
        }
        let given = fields["refresh_token"]?.string
        let known = ["access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"]
        let further = fields.values.filter { !known.contains($0.key) }
        return TokenSet(
            access, refreshToken: given?.isEmpty == false ? given : last?.refreshToken,
            expiry: lifetime.map { clock.date().addingTimeInterval($0) },
            scope: fields["scope"]?.joined ?? last?.scope ?? scope, idToken: idToken ?? last?.idToken,
            fields: (last?.fields ?? [:]).merging(further) { $1 })
    }

    /// Returns a token for a source, which recognizes transient errors of the server if they are `NetworkError`.
    private static func forSource(_ token: () async throws(OAuthError) -> TokenSet) async throws -> TokenSet {
        do throws(OAuthError) {
            return try await token()
        } catch {
            switch error {
            case .network(let failure): throw failure
            case .refused(let refusal):
                guard let response = refusal.response, NetworkError.status(response).isTransient else { throw error }
                throw NetworkError.status(response)
            default: throw error
            }
        }
    }
}
