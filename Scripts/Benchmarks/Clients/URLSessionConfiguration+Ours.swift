import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// As Foundation makes it.
    static func `default`(protocols: [AnyClass]? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        if let protocols { configuration.protocolClasses = protocols }
        return configuration
    }

    /// As RecordKit's transport has it: no cache, no cookies, no credentials.
    static func ours(protocols: [AnyClass]? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        if let protocols { configuration.protocolClasses = protocols }
        return configuration
    }
}
