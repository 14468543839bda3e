import Foundation
public import RecordKit

/// What stored responses are found by: the URL of the request, and its credentials.
///
/// A response is only used for requests with the same credentials, whether the server names them in `Vary` or not.
public struct CacheKey: Hashable, Sendable {
    /// The URL without its fragment. It may contain sensitive query items: a store on disk keeps only a hash.
    public let url: String
    /// The sensitive header fields of the request, such as `Authorization` and `Cookie`. A store on disk keeps only a
    /// hash.
    public let credentials: String

    /// Creates the key of a call.
    ///
    /// - Parameter call: The call as it is sent, with its credentials and cookies.
    public init(_ call: NetworkCall) {
        url = Self.text(of: call.url)
        var credentials = ""
        for field in call.headers.fields where call.headers.isSensitive(field) {
            credentials += "\(field.name.lowercased()): \(field.value)\n"
        }
        self.credentials = credentials
    }

    /// Returns a URL as the keys contain it.
    static func text(of url: URL) -> String {
        let text = url.absoluteString
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<end])
    }
}

extension CacheKey: CustomStringConvertible, CustomReflectable {
    /// The redacted URL.
    public var description: String { URL(string: url)?.redacted() ?? "a URL" }

    /// The redacted URL.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
