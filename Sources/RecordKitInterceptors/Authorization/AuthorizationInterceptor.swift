import Foundation
public import RecordKit

/// Signs calls in: with a fixed credential, or with a token that is renewed when it ends.
///
/// ```swift
/// AuthorizationInterceptor(.header("X-API-Key", key), for: "https://api.store.example")
/// AuthorizationInterceptor(tokens, for: .domain("discogs.com"))
/// ```
///
/// Only calls to its scopes are signed, so two of them in one configuration never get each other's credential. A call
/// that brings the header or the query item itself is left alone. What is signed goes to no other origin by a redirect.
///
/// With a ``TokenSource``, a call that is answered 401 has the token renewed and is sent once more, whatever its
/// method: a 401 says that nothing was done, unless a redirect led to it. However many calls meet a 401 with the same
/// token, it is renewed once. A second 401 is the answer.
public struct AuthorizationInterceptor: NetworkInterceptor {
    private enum Source: Sendable {
        case fixed(Credential)
        case tokens(TokenSource)
    }

    private let source: Source
    private let scopes: [CredentialScope]

    /// The same credential for each call to the scopes.
    public init(_ credential: Credential, for scope: CredentialScope, _ others: CredentialScope...) {
        source = .fixed(credential)
        scopes = [scope] + others
    }

    /// The token that the source has, for each call to the scopes.
    public init(_ tokens: TokenSource, for scope: CredentialScope, _ others: CredentialScope...) {
        source = .tokens(tokens)
        scopes = [scope] + others
    }

    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        // What renews the token is a call too, and must not wait for itself.
        if let tokens, try isInScope(call.origin), !tokens.isRefreshingInThisTask {
            return try await intercept(call, with: tokens, next)
        }
        return try await next(signedByFixed(call))
    }

    private var tokens: TokenSource? {
        if case .tokens(let tokens) = source { tokens } else { nil }
    }

    private func signedByFixed(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        guard case .fixed(let credential) = source, try isInScope(call.origin) else { return call }
        return try credential.signing(call)
    }

    private func intercept(
        _ call: NetworkCall, with tokens: TokenSource, _ next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        // Before a token is asked for: the call may be the one that signs in.
        if tokens.sample.isGiven(in: call) { return try await next(call) }
        let ticket: TokenSource.Ticket
        do throws(NetworkError) {
            ticket = try await tokens.ticket(for: call)
        } catch {
            guard case .interceptor(var failure) = error else { throw error }
            // The refresh may have reached its server; the call has not.
            failure.mayHaveReachedServer = false
            throw .interceptor(failure)
        }
        let signed = try ticket.credential.signing(call)
        let response = try await next(signed)
        // A server that was not sent the token cannot have refused it.
        guard response.statusCode == 401, ticket.credential.wasSent(with: call, to: response) else { return response }
        guard call.body?.canBeSentAgain ?? true, signed.wasRefused(response) else {
            tokens.refuse(ticket)
            return response
        }
        let refreshed = try await tokens.ticket(after: ticket, refusedWith: response, for: call)
        return try await next(refreshed.credential.signing(call.nextAttempt()))
    }

    /// Returns the failure of a call that was not sent.
    static func failure(_ reason: String) -> NetworkError.InterceptorFailure {
        NetworkError.InterceptorFailure(
            interceptor: "AuthorizationInterceptor", reason: reason, mayHaveReachedServer: false)
    }

    private func isInScope(_ origin: Origin) throws(NetworkError) -> Bool {
        for scope in scopes {
            if let problem = scope.problem {
                throw .interceptor(Self.failure(problem))
            }
            if scope.contains(origin) { return true }
        }
        return false
    }
}

extension NetworkCall {
    /// Returns whether a 401 says that nothing was done, or doing it twice does no harm. A server may have acted on a
    /// request before it redirects.
    fileprivate func wasRefused(_ response: NetworkResponse) -> Bool {
        method.isIdempotent || response.redirects.isEmpty
    }
}
