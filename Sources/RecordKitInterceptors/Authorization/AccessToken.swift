public import Foundation
import RecordKit

/// An access token, and what is needed to refresh it. Its values are never printed.
public struct AccessToken: Sendable, Hashable, Codable {
    /// The access token that is sent with each call.
    public var access: String
    /// The scheme in front of the access token in `Authorization`.
    public var type: String
    /// The refresh token, if any.
    public var refresh: String?
    /// The date at which the access token expires, or `nil` if it is known only from a 401.
    public var expiry: Date?
    /// The scopes that the token grants, separated by spaces as in the server's response (RFC 6749 section 3.3), if
    /// they are known.
    public var scope: String?
    /// The ID token of OpenID Connect that came with the access token, if any.
    public var idToken: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - access: The access token.
    ///   - type: The scheme in front of the access token in `Authorization`.
    ///   - refresh: The refresh token, if any.
    ///   - expiry: The date at which the access token expires, if it is known.
    ///   - scope: The scopes that the token grants, separated by spaces, if they are known.
    ///   - idToken: The ID token that came with the access token, if any.
    public init(
        _ access: String, type: String = "Bearer", refresh: String? = nil, expiry: Date? = nil, scope: String? = nil,
        idToken: String? = nil
    ) {
        self.access = access
        self.type = type
        self.refresh = refresh
        self.expiry = expiry
        self.scope = scope
        self.idToken = idToken
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the expiry of the token, without its values.
    public var description: String {
        "\(type) redacted\(expiry.map { " until \(HTTPDate($0))" } ?? "")"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the values of the tokens.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "expiry": expiry as Any], displayStyle: .struct)
    }
}
