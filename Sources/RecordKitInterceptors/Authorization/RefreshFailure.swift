import Foundation
import RecordKit

/// An error of a refresh that indicates whether it ends the sign-in.
///
/// ``TokenSource`` asks the errors that its closure throws. Errors of other types end it, except `NetworkError`s of a
/// token server that can't be reached or is busy.
public protocol RefreshError: Error {
    /// Whether the person has to sign in again.
    var needsSignIn: Bool { get }
}

/// How a refresh failed, and what that means for the sign-in.
struct RefreshFailure: Sendable {
    /// The error of the calls that wait.
    let error: NetworkError
    /// The token that was refreshed.
    let ended: TokenSet?
    /// The status of the source from now on, or `nil` if it is unchanged.
    let status: TokenSource.Status?
    /// Whether the same token isn't refreshed again.
    let isFinal: Bool

    /// Describes an error of the refresh.
    ///
    /// - Parameters:
    ///   - ended: The token that was refreshed.
    ///   - tokens: The tokens that a message must not contain.
    init(_ error: any Error, refreshing ended: TokenSet?, hiding tokens: [TokenSet?]) {
        let kind = NetworkError.InterceptorFailure.Kind(ofRefresh: error)
        self.error = Self.error(
            ended == nil ? "there is no token" : "the token couldn't be refreshed", kind, error, tokens)
        self.ended = ended
        status = kind == .signedOut ? ended == nil ? .signedOut : .ended : nil
        isFinal = kind == .signedOut && error is any RefreshError
    }

    /// Describes an error of the store. It doesn't change the status of the source.
    init(ofStore error: any Error) {
        self.error = Self.error("the token couldn't be refreshed", .other, error, [])
        (ended, status, isFinal) = (nil, nil, false)
    }

    private static func error(
        _ what: String, _ kind: NetworkError.InterceptorFailure.Kind, _ error: any Error, _ tokens: [TokenSet?]
    ) -> NetworkError {
        let passing = (error as? NetworkError).flatMap { $0.isTransient ? $0.response : nil }
        return .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "AuthorizationInterceptor", reason: what + reason(error, tokens), kind: kind,
                cause: error, response: passing))
    }

    /// Returns what an error says to the user, or its type. An error without an `errorDescription` isn't printed, since
    /// it may contain a credential.
    private static func reason(_ error: any Error, _ tokens: [TokenSet?]) -> String {
        let told = (error as? any LocalizedError)?.errorDescription
        let secrets = tokens.flatMap { [$0?.accessToken ?? "", $0?.refreshToken ?? ""] }
        guard let told, !secrets.contains(where: { !$0.isEmpty && told.contains($0) }) else {
            return ", for \(type(of: error))"
        }
        return ": \(told.hasSuffix(".") ? String(told.dropLast()) : told)"
    }
}

extension NetworkError.InterceptorFailure.Kind {
    /// What an error of a refresh means.
    init(ofRefresh error: any Error) {
        switch error {
        case let error as any RefreshError: self = error.needsSignIn ? .signedOut : .other
        case NetworkError.invalidRequest: self = .other
        case NetworkError.interceptor(let failure): self = failure.kind
        case NetworkError.status(let response):
            switch response.statusCode {
            case 400, 401, 403: self = .signedOut
            case 408, 425, 429, 500...: self = .unavailable
            default: self = .other
            }
        case is NetworkError: self = .unavailable
        default: self = .signedOut
        }
    }
}
