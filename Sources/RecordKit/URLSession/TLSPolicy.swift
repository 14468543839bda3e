#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
#if canImport(Security)
import Security
#endif

/// What an app decides about TLS beyond the system's own rules: whom to trust, and who it is itself.
///
/// A pin is a comparison, for which the server's own certificate or one that signed it may stand:
///
/// ```swift
/// struct Pinned: TLSPolicy {
///     let certificates: Set<Data>
///
///     func trusts(_ chain: [Data], of host: String, systemTrusts: Bool) -> Bool {
///         systemTrusts && chain.contains { certificates.contains($0) }
///     }
/// }
/// ```
///
/// Linux's URLSession has neither: there every call through a ``URLSessionTransport`` that was given a policy ends as
/// ``NetworkError/invalidRequest(_:)`` before anything is sent. No policy is quietly left out.
public protocol TLSPolicy: Sendable {
    /// Whether to send a request to this server. Called on a queue of the session's, for each new connection.
    ///
    /// False ends the call as ``NetworkError/ConnectionFailure/Kind/tls(_:)``, ``NetworkError/ConnectionFailure/TLSFailure/untrusted``. Default:
    /// what the system says.
    ///
    /// - Parameters:
    ///   - chain: the certificates in DER, the server's own first.
    ///   - host: the server's name, as the request has it.
    ///   - systemTrusts: whether the system trusts the chain for this host and this time.
    func trusts(_ chain: [Data], of host: String, systemTrusts: Bool) -> Bool

    /// The certificate and key for a server that asks for one; nil, the default, sends none.
    func clientCredential(for host: String) -> URLCredential?
}

extension TLSPolicy {
    public func trusts(_ chain: [Data], of host: String, systemTrusts: Bool) -> Bool { systemTrusts }
    public func clientCredential(for host: String) -> URLCredential? { nil }
}

extension URLAuthenticationChallenge {
    /// Resolves the challenge using `policy`; otherwise uses default handling.
    func settle(
        for handler: SessionExchange?, by policy: (any TLSPolicy)?,
        _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Security)
        let host = protectionSpace.host
        if let policy, protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = protectionSpace.serverTrust
        {
            let systemTrusts = SecTrustEvaluateWithError(trust, nil)
            let certificates = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            let chain = certificates.map { SecCertificateCopyData($0) as Data }
            if policy.trusts(chain, of: host, systemTrusts: systemTrusts) {
                return completionHandler(.useCredential, URLCredential(trust: trust))
            }
            let failure = NetworkError.ConnectionFailure(
                kind: .tls(.untrusted), host: "\(host):\(protectionSpace.port)", mayHaveReachedServer: false)
            handler?.stop(.connection(failure))
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        if protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate,
            let credential = policy?.clientCredential(for: host)
        {
            return completionHandler(.useCredential, credential)
        }
        #endif
        #if canImport(FoundationNetworking)
        // Linux's default handling of a Basic challenge never ends.
        if let head = failureResponse as? HTTPURLResponse {
            handler?.didReceiveChallenge(head)
            return SessionTasks.perform { completionHandler(.cancelAuthenticationChallenge, nil) }
        }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }
}
