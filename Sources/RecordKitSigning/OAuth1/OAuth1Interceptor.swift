import Foundation
public import RecordKit
public import RecordKitInterceptors

/// Signs calls with OAuth 1.0a (RFC 5849).
///
/// ```swift
/// OAuth1Interceptor(client, token, for: "https://api.discogs.com")
/// ```
///
/// The signature covers the method, the URL, and the fields of a form in the body. It doesn't cover any other body.
/// Each attempt has its own nonce, and the time of the call's clock.
///
/// Signs only calls to its scope. A call that has an `Authorization` field isn't changed. A redirect ends the call
/// with `NetworkError.redirectRefused(_:)`.
public struct OAuth1Interceptor: NetworkInterceptor {
    private let client: OAuth1Client
    private let token: OAuth1Token?
    private let scope: SigningScope
    private let makeNonce: @Sendable () -> String

    /// Creates an interceptor that signs as a client, for a person.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - token: The token of the person from ``OAuth1SignIn``, or `nil` to sign as the client alone.
    ///   - scope: The servers to sign calls for.
    public init(
        _ client: OAuth1Client, _ token: OAuth1Token?, for scope: CredentialScope
    ) {
        self.init(client, token, scope) { .randomNonce() }
    }

    init(
        _ client: OAuth1Client, _ token: OAuth1Token?, _ scope: CredentialScope,
        makeNonce: @escaping @Sendable () -> String
    ) {
        self.client = client
        self.token = token
        self.scope = SigningScope("OAuth1Interceptor", scope)
        self.makeNonce = makeNonce
    }

    /// It signs each attempt, wherever it stands among the interceptors.
    public var role: NetworkInterceptorRole { .signs }

    /// Signs the call.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard try scope.contains(call) else { return try await next(call) }
        guard client.maySign(call) else {
            throw scope.failure("PLAINTEXT would send the secrets over http; use https or HMAC-SHA1")
        }
        var call = call
        call.headers["Authorization"] = try await client.authorization(for: call, token: token, nonce: makeNonce())
        return try await scope.send(call, next)
    }
}
