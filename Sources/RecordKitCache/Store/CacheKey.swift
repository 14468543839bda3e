import Foundation
public import RecordKit

/// What stored responses are found by: the URL of the request, and its credentials.
///
/// A response is only used for requests with the same credentials, whether the server names them in `Vary` or not.
public struct CacheKey: Hashable, Sendable {
    /// The URL of the request.
    public let url: NormalizedURL
    /// The sensitive header fields of the request, such as `Authorization` and `Cookie`. A store on disk keeps only a
    /// hash.
    public let credentials: String
    /// The names that the app treats as sensitive, for the description.
    private let sensitiveNames: Set<String>

    /// Creates the key of a call.
    ///
    /// - Parameter call: The call as it is sent, with its credentials and cookies.
    public init(_ call: NetworkCall) {
        url = NormalizedURL(call.url)
        var credentials = ""
        for field in call.headers where call.headers.isSensitive(field) {
            credentials += "\(field.name.lowercased()): \(field.value)\n"
        }
        self.credentials = credentials
        sensitiveNames = call.headers.sensitiveNames
    }

    /// Returns whether both keys have the same URL and credentials.
    public static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.url == other.url && one.credentials == other.credentials
    }

    /// Hashes the URL and the credentials.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(credentials)
    }
}

extension CacheKey: CustomStringConvertible, CustomReflectable {
    /// The redacted URL.
    public var description: String { URL(string: url.text)?.redacted(sensitiveNames) ?? "a URL" }

    /// The redacted URL.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
