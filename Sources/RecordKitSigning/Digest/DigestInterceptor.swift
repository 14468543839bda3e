import Foundation
public import RecordKit
public import RecordKitInterceptors
import Synchronization

/// Signs in with HTTP digest authentication (RFC 7616).
///
/// ```swift
/// DigestInterceptor(
///     user: user, password: password, for: "https://camera.example")
/// ```
///
/// Sends the first call without credentials. The server responds with 401 and a challenge, and the call is sent again,
/// signed. Later calls to the protection space are signed at once. The password isn't sent.
///
/// Responds to the first challenge that it supports: MD5, SHA-256 and SHA-512-256, each also with `-sess`, with
/// `qop=auth`, `qop=auth-int` or none. A nonce that has expired costs one more exchange. A second 401 is returned to
/// the caller.
///
/// A call whose body can be read only once isn't sent again: its 401 is returned. A call that has an `Authorization`
/// field isn't changed.
///
/// Signs only calls to its scope. A redirect ends the call with `NetworkError.redirectRefused(_:)`. Place it before a
/// ``MessageSignatureInterceptor``: the call that is sent again needs another signature of that, too.
public struct DigestInterceptor: NetworkInterceptor {
    private let user: String
    private let password: String
    private let allowsMD5: Bool
    private let scope: SigningScope
    private let makeNonce: @Sendable () -> String
    private let sessions = DigestSessions()

    /// Creates an interceptor that responds to challenges with a user name and a password.
    ///
    /// - Parameters:
    ///   - user: The user name. It is sent readably, unless the server asks for its digest.
    ///   - password: The password.
    ///   - allowsMD5: Whether MD5 is allowed. Default: `true`, since many devices support nothing else.
    ///   - scope: The servers to respond to.
    public init(
        user: String, password: String, allowsMD5: Bool = true, for scope: CredentialScope
    ) {
        self.init(user: user, password: password, allowsMD5: allowsMD5, scope) { .randomNonce() }
    }

    init(
        user: String, password: String, allowsMD5: Bool = true, _ scope: CredentialScope,
        makeNonce: @escaping @Sendable () -> String
    ) {
        // Both are hashed in Normalization Form C (section 4).
        self.user = user.precomposedStringWithCanonicalMapping
        self.password = password.precomposedStringWithCanonicalMapping
        self.allowsMD5 = allowsMD5
        self.scope = SigningScope("DigestInterceptor", scope)
        self.makeNonce = makeNonce
    }

    /// It signs each attempt, wherever it stands among the interceptors.
    public var role: NetworkInterceptorRole { .signs }

    /// Signs the call if the server is known to require it, and responds to a challenge.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard try scope.contains(call) else { return try await next(call) }
        guard HTTPHeaders.isValid(value: user) else {
            throw scope.failure("the user name contains a control character")
        }
        if call.headers.contains("Signature") {
            throw scope.failure(
                "it may send a call twice, and this one is signed already; place DigestInterceptor before the "
                    + "interceptor that sets Signature")
        }
        var call = call
        var session = sessions.take(for: call)
        // The first call, one with the nonce of a challenge, and one in case that this nonce was used up meanwhile.
        for attempt in 1...3 {
            let response = try await scope.send(sign(call, session), next)
            guard response.statusCode == 401 else {
                if let session { sessions.renew(session, for: call, as: response) }
                return response
            }
            guard attempt < 3, let challenge = DigestChallenge.first(in: response, allowsMD5: allowsMD5) else {
                return response
            }
            if session?.isFresh == true, !challenge.isStale {
                sessions.forget(session, of: call)
                return response
            }
            let new = DigestSession(
                challenge, user: user, password: password, clientNonce: makeNonce(), from: call)
            guard call.body?.canBeSentAgain ?? true else {
                sessions.keep(new, of: call)
                return response
            }
            session = sessions.begin(new, for: call)
            call = call.nextAttempt()
        }
        throw .cancelled
    }

    private func sign(_ call: NetworkCall, _ session: DigestSession?) async throws(NetworkError) -> NetworkCall {
        guard let session else { return call }
        var call = call
        var digest = RunningDigest(session.challenge.algorithm)
        if session.challenge.protection == .authInt { try await call.readBody { digest.update($0) } }
        let field = HTTPHeaders.Field(
            received: "Authorization", value: session.authorization(for: call, body: digest.hexadecimal),
            isLatin1: session.challenge.isLatin1)
        call.headers.merge(HTTPHeaders([field]))
        return call
    }
}

/// The last challenge of each origin. All calls of an interceptor share it, since they share the count of a nonce.
private final class DigestSessions: Sendable {
    private let sessions = Mutex<[URLOrigin: DigestSession]>([:])

    /// Returns the session for a call, which takes the next number of the nonce. `nil` if a call is to be sent without
    /// credentials.
    func take(for call: NetworkCall) -> DigestSession? {
        sessions.withLock { sessions in
            guard sessions[call.origin]?.protects(call) == true else { return nil }
            sessions[call.origin] = sessions[call.origin]?.counted
            return sessions[call.origin]
        }
    }

    /// Keeps the session of a challenge. A server may send one nonce to several calls: they share its count.
    func keep(_ session: DigestSession, of call: NetworkCall) {
        sessions.withLock { sessions in
            if let kept = sessions[call.origin], kept.nonce == session.nonce,
                kept.challenge.realm == session.challenge.realm,
                kept.challenge.algorithmName == session.challenge.algorithmName
            {
                return
            }
            // A scope of a whole domain may have any number of hosts.
            if sessions.count >= 256 { sessions = [:] }
            sessions[call.origin] = session
        }
    }

    /// Keeps the session of a challenge, and returns it for the call that received the challenge.
    func begin(_ session: DigestSession, for call: NetworkCall) -> DigestSession {
        keep(session, of: call)
        var begun = sessions.withLock { sessions in
            // Another call may have replaced the session meanwhile.
            guard sessions[call.origin]?.nonce == session.nonce else { return session.counted }
            sessions[call.origin] = sessions[call.origin]?.counted
            return sessions[call.origin] ?? session.counted
        }
        begun.isFresh = true
        return begun
    }

    /// Forgets a session with refused credentials, unless another call has replaced it.
    func forget(_ session: DigestSession?, of call: NetworkCall) {
        sessions.withLock { sessions in
            if sessions[call.origin]?.nonce == session?.nonce { sessions[call.origin] = nil }
        }
    }

    /// Continues with the nonce that a response names for the next call, unless another call has done so.
    func renew(_ session: DigestSession, for call: NetworkCall, as response: NetworkResponse) {
        guard let field = response.headers["Authentication-Info"],
            let nonce = AuthenticationChallenge.parameters(of: field)["nextnonce"], nonce.utf8.count <= 4096,
            HTTPHeaders.isValid(value: nonce)
        else { return }
        sessions.withLock { sessions in
            if sessions[call.origin]?.nonce == session.nonce { sessions[call.origin]?.renew(nonce) }
        }
    }
}

extension DigestInterceptor: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the password.
    public var description: String { "DigestInterceptor" }

    /// A mirror without the password.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
