import Foundation
import RecordKit
import RecordKitInterceptors

/// The servers that an interceptor signs calls to, and the rules that all signing interceptors share.
struct SigningScope: Sendable {
    /// The name of the interceptor, for its errors.
    let interceptor: String
    private let scope: CredentialScope

    init(_ interceptor: String, _ scope: CredentialScope) {
        self.interceptor = interceptor
        self.scope = scope
    }

    /// Returns whether to sign a call: it is in scope, and it isn't signed by its request.
    func contains(_ call: NetworkCall, signedBy name: String = "Authorization") throws(NetworkError) -> Bool {
        if let reason = scope.invalidReason { throw failure(reason) }
        return scope.contains(call.origin) && !call.headers.contains(name)
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
