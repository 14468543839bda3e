import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Returns Foundation's default configuration.
    static func `default`(protocols: [AnyClass]? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        if let protocols { configuration.protocolClasses = protocols }
        return configuration
    }

    /// Returns a configuration like that of RecordKit's transport: no cache, no cookies, no credentials.
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
