import Foundation
import RecordKit
import RecordKitInterceptors

/// The servers that an interceptor signs calls to, and the rules that all signing interceptors share.
struct SigningScopes: Sendable {
    /// The name of the interceptor, for its errors.
    let interceptor: String
    let scopes: [CredentialScope]

    init(_ interceptor: String, _ scopes: [CredentialScope]) {
        self.interceptor = interceptor
        self.scopes = scopes
    }

    /// Returns whether to sign a call: it is in scope, and it isn't signed by its request.
    func contain(_ call: NetworkCall, signedBy name: String = "Authorization") throws(NetworkError) -> Bool {
        for scope in scopes {
            if let reason = scope.invalidReason { throw failure(reason) }
            if scope.contains(call.origin) { return !call.headers.contains(name) }
        }
        return false
    }

    /// Sends a signed call, and refuses a redirect: the signature is valid for one URL.
    func send(_ call: NetworkCall, _ next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var sent = call
        sent.options.redirects = .never
        let response = try await next(sent)
        guard response.isRedirect(for: call), let location = response.headers["Location"] else { return response }
        let target = URL(string: location).flatMap { call.resolved($0) }?.absoluteString ?? "an invalid URL"
        throw .redirectRefused(
            NetworkError.RedirectRefusal(
                reason: .signed, response: response, location: String(target.prefix { $0 != "?" && $0 != "#" })))
    }

    /// Returns the error of a call that wasn't sent.
    func failure(_ reason: String, cause: (any Error)? = nil) -> NetworkError {
        .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: interceptor, reason: reason, cause: cause, mayHaveReachedServer: false))
    }
}
