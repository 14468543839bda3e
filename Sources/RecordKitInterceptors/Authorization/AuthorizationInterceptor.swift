import Foundation
public import RecordKit

/// Adds a credential to each call: a fixed credential, or a token that is refreshed when it expires.
///
/// ```swift
/// configuration.interceptors = [
///     AuthorizationInterceptor(
///         .header("X-API-Key", key), for: "https://api.store.example"),
///     AuthorizationInterceptor(tokens, for: .domain("discogs.com")),
/// ]
/// ```
///
/// Signs only calls to its scopes. Two authorization interceptors in one configuration never send each other's
/// credential. A call that already has the header field or the query item isn't changed. The credential isn't sent to
/// another origin when the server redirects.
///
/// With a ``TokenSource``, a response with the status 401 refreshes the token, and the call is sent once more. The
/// method doesn't matter: a 401 means that the server did nothing, unless a redirect came first. Calls that get a 401
/// for the same token share one refresh. A second 401 is returned to the caller.
///
/// A request that is sent without a token, too, or always, sets `RequestOptions.authorization`. A call outside the
/// scopes reports the event `NetworkEvent.Kind.withoutCredential`. The error of a 401 says whether a credential was
/// sent, and why not.
public struct AuthorizationInterceptor: NetworkInterceptor {
    private enum Source: Sendable {
        case fixed(Credential)
        case tokens(TokenSource)
    }

    private let source: Source
    private let scope: CredentialScope

    /// Creates an interceptor that adds the same credential to each call.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - scope: The servers that the credential may be sent to.
    public init(_ credential: Credential, for scope: CredentialScope) {
        source = .fixed(credential)
        self.scope = scope
    }

    /// Creates an interceptor that adds the token of a source to each call.
    ///
    /// - Parameters:
    ///   - tokens: The source of the token. Share one source between all interceptors that use the same token.
    ///   - scope: The servers that the token may be sent to.
    public init(_ tokens: TokenSource, for scope: CredentialScope) {
        source = .tokens(tokens)
        self.scope = scope
    }

    /// Signs the call, and repeats it once after a 401 if a refreshed token may help.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        if call.options.authorization == .never {
            return try await next(call).explained(
                sample, sample.isGiven(in: call), "the request's `authorization` is `.never`")
        }
        guard try isInScope(call.origin) else {
            let reason = "the call is outside \(scope)"
            if !sample.isGiven(in: call) { call.reportUnsigned(reason) }
            return try await next(call).explained(sample, sample.isGiven(in: call), reason)
        }
        switch source {
        case .fixed(let credential):
            let response = try await next(credential.signing(call))
            return response.explained(credential, credential.wasSent(with: call, to: response), Self.removed)
        case .tokens(let tokens):
            // The request for a new token is a call, too. It must not wait for itself.
            if tokens.isRefreshingInThisTask { return try await next(call) }
            return try await intercept(call, with: tokens, next)
        }
    }

    private static let removed = "a redirect removed it"

    /// A credential that names the header field or query item.
    private var sample: Credential {
        switch source {
        case .fixed(let credential): credential
        case .tokens(let tokens): tokens.sample
        }
    }

    private func intercept(
        _ call: NetworkCall, with tokens: TokenSource, _ next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        // The call may be the sign-in itself, so this comes before the source is asked for a token.
        if tokens.sample.isGiven(in: call) { return try await next(call).explained(sample, true, "") }
        let isOptional = call.options.authorization == .optional
        let ticket: TokenState.Ticket
        do throws(NetworkError) {
            if isOptional, (try? await tokens.status) ?? .signedOut == .signedOut {
                return try await unsigned(call, "there is no token", next)
            }
            ticket = try await tokens.ticket(for: call)
        } catch {
            guard case .interceptor(let failure) = error else { throw error }
            if isOptional { return try await unsigned(call, failure.reason, next) }
            // The refresh may have reached its server. The call hasn't.
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: failure.interceptor, reason: failure.reason, kind: failure.kind,
                    cause: failure.cause, response: failure.response, mayHaveReachedServer: false))
        }
        let signed = try ticket.credential.signing(call)
        let response = try await next(signed)
        guard response.statusCode == 401 else {
            tokens.accept(ticket)
            return response
        }
        // A server that didn't receive the token can't have rejected it.
        guard ticket.credential.wasSent(with: call, to: response) else {
            return response.explained(sample, false, Self.removed)
        }
        guard !isOptional, call.body?.canBeSentAgain ?? true, signed.wasRefused(response) else {
            tokens.refuse(ticket)
            return response.explained(sample, true, "")
        }
        guard let refreshed = try await tokens.ticket(after: ticket, refusedWith: response, for: call) else {
            return response.explained(sample, true, "")
        }
        let last = try await next(refreshed.credential.signing(call.nextAttempt()))
        if last.statusCode != 401 { tokens.accept(refreshed) }
        return last.explained(sample, refreshed.credential.wasSent(with: call, to: last), Self.removed)
    }

    private func unsigned(
        _ call: NetworkCall, _ reason: String, _ next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        call.reportUnsigned(reason)
        return try await next(call).explained(sample, false, reason)
    }

    /// Returns the failure of a call that wasn't sent.
    static func failure(
        _ reason: String, _ kind: NetworkError.InterceptorFailure.Kind = .other
    ) -> NetworkError.InterceptorFailure {
        NetworkError.InterceptorFailure(
            interceptor: "AuthorizationInterceptor", reason: reason, kind: kind, mayHaveReachedServer: false)
    }

    private func isInScope(_ origin: URLOrigin) throws(NetworkError) -> Bool {
        if let reason = scope.invalidReason { throw .interceptor(Self.failure(reason)) }
        return scope.contains(origin)
    }
}

extension NetworkResponse {
    /// Returns the response. One with the status 401 says whether a credential was sent, and why not.
    ///
    /// Another interceptor, closer to the server, may have sent one.
    fileprivate func explained(_ credential: Credential, _ isSent: Bool, _ reason: String) -> NetworkResponse {
        guard statusCode == 401, isSent || explanation == nil else { return self }
        var response = self
        response.explanation =
            isSent ? "a credential was sent (\(credential))" : "no credential was sent: \(reason)"
        return response
    }
}

extension NetworkCall {
    /// Reports that the call is sent without a credential.
    fileprivate func reportUnsigned(_ reason: String) {
        report(.withoutCredential, since: clock.now(), detail: "not signed: \(reason)")
    }

    /// Returns whether the call may be sent again after this 401: the server did nothing, or the method is idempotent.
    ///
    /// A server may have processed a request before it redirects.
    fileprivate func wasRefused(_ response: NetworkResponse) -> Bool {
        method.isIdempotent || response.redirects.isEmpty
    }
}
