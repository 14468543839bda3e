import Foundation
import RecordKit
public import RecordKitInterceptors

extension TokenSet {
    /// Reads the claims of the ID token, such as the name of the person (OpenID Connect Core 5.1).
    ///
    /// ```swift
    /// struct Person: Decodable { var sub: String, name: String? }
    /// let person = try token.claims(as: Person.self)
    /// ```
    ///
    /// The claims of a token that an ``OAuthClient`` received were checked at that time: issuer, audience, expiry and
    /// nonce. The signature isn't checked. The token came from its endpoint over TLS, which takes the signature's place
    /// (OpenID Connect Core 3.1.3.7). Don't use the claims of a token from elsewhere.
    ///
    /// - Parameter type: The type of the claims. Dates are read from seconds since 1970.
    /// - Throws: ``OAuthError/invalidIDToken(_:)`` if there is no ID token, or it doesn't have such claims.
    public func claims<Claims: Decodable>(as type: Claims.Type = Claims.self) throws(OAuthError) -> Claims {
        guard let idToken else { throw .invalidIDToken("there is none; request the scope openid") }
        return try readClaims(of: idToken)
    }
}

private func readClaims<Claims: Decodable>(of idToken: String) throws(OAuthError) -> Claims {
    let parts = idToken.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Data(base64URLEncoded: parts[1]) else {
        throw .invalidIDToken("it isn't a signed JSON Web Token")
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
        return try decoder.decode(Claims.self, from: payload)
    } catch {
        throw .invalidIDToken(reason(error))
    }
}

/// Returns which claim couldn't be read.
private func reason(_ error: any Error) -> String {
    let path: [any CodingKey] =
        switch error as? DecodingError {
        case .keyNotFound(let key, let context)?: context.codingPath + [key]
        case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .dataCorrupted(let context)?:
            context.codingPath
        default: []
        }
    if path.isEmpty { return "its claims aren't what the app reads" }
    return "its claim \(path.map(\.stringValue).joined(separator: ".")) is missing or has another type"
}

/// The claims that are checked.
private struct CheckedClaims: Decodable {
    /// A string, or a list of strings.
    struct Audience: Decodable {
        let clients: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            clients = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    var iss: String
    var sub: String
    var aud: Audience
    var azp: String?
    var exp: Double
    var iat: Double
    var nbf: Double?
    var nonce: String?
    /// The tenant, with Microsoft.
    var tid: String?
}

extension OAuthClient {
    /// Checks the claims of an ID token from the token endpoint (OpenID Connect Core 3.1.3.7 and 12.2).
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the authorization request, if there was one.
    ///   - last: The ID token that this one replaces.
    func checkIDToken(_ idToken: String, nonce: String?, after last: String?) throws(OAuthError) {
        let claims: CheckedClaims = try readClaims(of: idToken)
        guard let issuer = server.issuer else {
            throw .misconfigured("the server has no issuer to compare the ID token with; pass it to OAuthServer")
        }
        let clients = claims.aud.clients
        let now = clock.date().timeIntervalSince1970
        if claims.iss != issuer.replacing("{tenantid}", with: claims.tid ?? "") {
            throw .invalidIDToken("it comes from another issuer")
        }
        if claims.sub.isEmpty { throw .invalidIDToken("it names no person") }
        if !clients.contains(id) { throw .invalidIDToken("it is for another client") }
        if clients.count > 1 && claims.azp == nil || claims.azp.map({ $0 != id }) ?? false {
            throw .invalidIDToken("its authorized party is another client")
        }
        if claims.exp <= now - 60 { throw .invalidIDToken("it has expired; check the date of this device") }
        // The clocks of devices differ by some minutes.
        if max(claims.iat, claims.nbf ?? 0) > now + 600 {
            throw .invalidIDToken("it is valid only later; check the date of this device")
        }
        if let nonce, claims.nonce != nonce { throw .invalidIDToken("its nonce belongs to another sign-in") }
        guard let last else { return }
        let before: CheckedClaims = try readClaims(of: last)
        if (claims.iss, claims.sub) != (before.iss, before.sub) {
            throw .invalidIDToken("it names another person than before; sign in again")
        }
        if let nonce = claims.nonce, nonce != before.nonce {
            throw .invalidIDToken("its nonce belongs to another sign-in")
        }
    }
}
