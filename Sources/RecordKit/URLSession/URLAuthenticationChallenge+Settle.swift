import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Security)
import Security
#endif

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
