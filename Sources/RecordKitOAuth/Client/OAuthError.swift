public import Foundation
public import RecordKit
public import RecordKitInterceptors

/// An error of a sign-in or a refresh.
///
/// ``needsSignIn`` indicates whether the person has to sign in again, and ``isTransient`` whether a retry may help. A
/// description quotes nothing of a response except a known error code.
@nonexhaustive
public enum OAuthError: NetworkFailure, RefreshError {
    /// The server refused the request, or the person did.
    case refused(Refusal)
    /// The server's response can't be used.
    case badResponse(BadResponse)
    /// The redirect doesn't belong to this sign-in.
    case invalidRedirect(RedirectProblem)
    /// The ID token isn't one for this client, for the reason given.
    case invalidIDToken(String)
    /// The client or the server is set up wrongly, as the reason says.
    case misconfigured(String)
    /// There is no token to refresh: the person hasn't signed in, or has signed out.
    case signedOut
    /// The token can't be refreshed, since the server gave no refresh token.
    case noRefreshToken
    /// The person didn't finish in time.
    case timedOut
    /// The listener for the redirect can't be used, for the reason given.
    case listener(String)
    /// The request failed before the server could give a reason.
    case network(NetworkError)

    /// Creates the error from that of a request.
    public init(_ error: NetworkError) {
        self = .network(error)
    }

    /// An error response of the server (RFC 6749 sections 4.1.2.1 and 5.2).
    public struct Refusal: Sendable {
        /// The code, such as `invalid_grant`.
        public let code: String
        /// The server's words for the developer. They may contain anything, so they aren't part of a description.
        public let message: String?
        /// An http or https URL of a page about the error, if the server names one.
        public let page: URL?
        /// The response, or `nil` if the error came with a redirect.
        public let response: NetworkResponse?

        init?(_ fields: [String: TokenSet.Field], response: NetworkResponse? = nil) {
            guard let code = fields["error"]?.string, !code.isEmpty else { return nil }
            self.code = code
            message = fields["error_description"]?.string
            page = fields["error_uri"]?.webURL
            self.response = response
        }
    }

    /// A response that can't be used.
    public struct BadResponse: Sendable {
        /// What is wrong with it, as part of a sentence.
        public let reason: String
        /// The response. Its body may contain tokens.
        public let response: NetworkResponse?
    }

    /// What is wrong with a redirect.
    @nonexhaustive
    public enum RedirectProblem: Sendable, Hashable {
        /// The redirect has no `state` or another one: it belongs to another sign-in, or is an attack.
        case wrongState
        /// The redirect comes from another server than the one that was asked (RFC 9207).
        case otherIssuer
        /// A redirect of this sign-in was used before.
        case usedBefore
        /// The redirect has neither a code nor an error, or a parameter twice.
        case incomplete
    }
}

extension OAuthError {
    /// Whether the person has to sign in again, since the sign-in has ended, was denied or took too long.
    public var needsSignIn: Bool {
        switch self {
        case .refused(let refusal):
            [
                "invalid_grant", "access_denied", "expired_token", "login_required", "interaction_required",
                "consent_required", "account_selection_required", "authorization_declined", "bad_refresh_token",
                "bad_verification_code",
            ].contains(refusal.code)
        case .signedOut, .noRefreshToken, .timedOut, .invalidRedirect, .invalidIDToken: true
        case .badResponse, .misconfigured, .listener, .network: false
        }
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .refused(let refusal):
            ["temporarily_unavailable", "server_error", "slow_down"].contains(refusal.code)
                || refusal.response.map { NetworkError.status($0).isTransient } ?? false
        case .network(let error): error.isTransient
        default: false
        }
    }

    /// The response that the error is about, if any.
    public var response: NetworkResponse? {
        switch self {
        case .refused(let refusal): refusal.response
        case .badResponse(let failure): failure.response
        case .network(let error): error.response
        default: nil
        }
    }
}

extension OAuthError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// A message that says what happened and what to do.
    public var description: String {
        switch self {
        case .refused(let refusal): "The authorization server refused the request: \(refusal.reason)."
        case .badResponse(let failure): "The response of the authorization server can't be used: \(failure.reason)."
        case .invalidRedirect(.wrongState):
            "The redirect doesn't belong to this sign-in: its state differs. Sign in again."
        case .invalidRedirect(.otherIssuer):
            "The redirect comes from another authorization server. Don't trust it, and sign in again."
        case .invalidRedirect(.usedBefore): "The redirect of this sign-in was used before. Sign in again."
        case .invalidRedirect(.incomplete):
            "The redirect has neither a code nor an error, or a parameter twice. Sign in again."
        case .invalidIDToken(let reason): "The ID token can't be trusted: \(reason)."
        case .misconfigured(let reason): "The OAuth client can't be used: \(reason)."
        case .signedOut: "You aren't signed in. Sign in first."
        case .noRefreshToken: "The sign-in has ended, and there is no refresh token. Sign in again."
        case .timedOut: "The sign-in wasn't finished in time. Start it again."
        case .listener(let reason): "The redirect can't be received: \(reason)."
        case .network(let error): error.description
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// The same as ``description``.
    public var errorDescription: String? { description }
    /// A mirror with the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension OAuthError.Refusal: CustomStringConvertible, CustomReflectable {
    /// The code, if it is a known one.
    public var description: String { reason }
    /// A mirror with the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    fileprivate var reason: String {
        guard let advice = Self.advice[code] else { return "for a reason of its own; see the property code" }
        return advice.isEmpty ? code : "\(code), \(advice)"
    }

    private static let advice = [
        "access_denied": "the person or the server denied access",
        "account_selection_required": "sign in again",
        "authorization_declined": "the person denied access",
        "authorization_pending": "the person hasn't finished yet",
        "bad_refresh_token": "the sign-in has ended; sign in again",
        "bad_verification_code": "the code was used before or has expired; sign in again",
        "consent_required": "sign in again",
        "expired_token": "the code has expired; start the sign-in again",
        "incorrect_client_credentials": "check the client's identifier and secret",
        "incorrect_device_code": "start the sign-in again",
        "interaction_required": "sign in again",
        "invalid_client": "check the client's identifier, its secret and its authentication",
        "invalid_grant": "the code or the sign-in has ended; sign in again",
        "invalid_request": "see the property message",
        "invalid_scope": "check the scopes",
        "invalid_target": "check the parameter resource",
        "login_required": "sign in again",
        "redirect_uri_mismatch": "register the redirect URL",
        "server_error": "try again later",
        "slow_down": "ask less often",
        "temporarily_unavailable": "try again later",
        "unauthorized_client": "the client may not use this grant; check its registration",
        "unsupported_grant_type": "the server doesn't support this grant",
        "unsupported_response_type": "the server doesn't support authorization codes",
        "unsupported_token_type": "the server doesn't revoke tokens of this type",
    ]
}

extension OAuthError.BadResponse: CustomStringConvertible, CustomReflectable {
    /// What is wrong with the response.
    public var description: String { reason }
    /// A mirror with the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
