#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
#if canImport(Security)
import Security
#endif

/// An app's policy for TLS: the servers that it trusts, and the certificate that identifies the app.
///
/// To pin a certificate, compare the chain with the known certificates. The match can be the server's own certificate
/// or one that signed it:
///
/// ```swift
/// struct Pinned: TLSPolicy {
///     let certificates: Set<Data>
///
///     func trusts(
///         _ chain: [Data], of host: String, systemTrusts: Bool
///     ) -> Bool {
///         systemTrusts && chain.contains { certificates.contains($0) }
///     }
/// }
/// ```
///
/// Linux's URLSession supports neither pins nor client certificates. On Linux, every call through a
/// ``URLSessionTransport`` with a policy ends with ``NetworkError/invalidRequest(_:)`` before anything is sent. A
/// policy is never ignored.
public protocol TLSPolicy: Sendable {
    /// Returns whether to send a request to a server. It is called on a queue of the session, for each new connection.
    ///
    /// Returning false ends the call with ``NetworkError/ConnectionFailure/Kind/tls(_:)``: with
    /// ``NetworkError/ConnectionFailure/TLSFailure/pinMismatch`` if the system trusts the chain, otherwise with
    /// ``NetworkError/ConnectionFailure/TLSFailure/untrusted``. The default returns `systemTrusts`.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, the server's own first.
    ///   - host: The name of the server, as in the request.
    ///   - systemTrusts: Whether the system trusts the chain for this host and this time.
    func trusts(_ chain: [Data], of host: String, systemTrusts: Bool) -> Bool

    /// Returns the certificate and key for a server that asks for them. `nil`, the default, sends none.
    ///
    /// - Parameter host: The name of the server, as in the request.
    func clientCredential(for host: String) -> URLCredential?
}

extension TLSPolicy {
    /// Trusts the servers that the system trusts.
    public func trusts(_ chain: [Data], of host: String, systemTrusts: Bool) -> Bool { systemTrusts }
    /// Sends no certificate.
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
                kind: .tls(systemTrusts ? .pinMismatch : .untrusted), host: "\(host):\(protectionSpace.port)",
                mayHaveReachedServer: false)
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
        // On Linux (Swift 6.3.1), default handling of a Basic challenge never ends.
        if let head = failureResponse as? HTTPURLResponse {
            handler?.didReceiveChallenge(head)
            return SessionTasks.perform { completionHandler(.cancelAuthenticationChallenge, nil) }
        }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }
}
