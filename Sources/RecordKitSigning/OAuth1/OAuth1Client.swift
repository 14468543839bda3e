import Foundation
import RecordKit
import RecordKitDigest

/// A client that is registered with a service of OAuth 1.0a (RFC 5849), and how it signs.
public struct OAuth1Client: Sendable, Hashable {
    /// The signature methods (RFC 5849 section 3.4).
    @nonexhaustive
    public enum Method: String, Sendable, Hashable {
        /// HMAC-SHA1, which every service supports.
        case hmacSHA1 = "HMAC-SHA1"
        /// HMAC-SHA256, which some services support in addition.
        case hmacSHA256 = "HMAC-SHA256"
        /// The secrets themselves. They are only sent over https, and to the local machine.
        case plaintext = "PLAINTEXT"
    }

    /// The consumer key.
    public var key: String
    /// The consumer secret. It isn't sent, except as ``Method/plaintext``.
    public var secret: String
    /// The signature method.
    public var method: Method
    /// The realm in the `Authorization` field, if the service wants one.
    public var realm: String?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - key: The consumer key.
    ///   - secret: The consumer secret.
    ///   - method: The signature method. Default: HMAC-SHA1.
    ///   - realm: The realm in the `Authorization` field, if the service wants one.
    public init(key: String, secret: String, method: Method = .hmacSHA1, realm: String? = nil) {
        self.key = key
        self.secret = secret
        self.method = method
        self.realm = realm
    }
}

/// A token of OAuth 1.0a: that of a person, or the one of a sign-in that isn't finished. It is never printed.
public struct OAuth1Token: Sendable, Hashable, Codable {
    /// The token.
    public var token: String
    /// The secret of the token. It isn't sent, except as `PLAINTEXT`.
    public var secret: String

    /// Creates a token, such as one from a store.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - secret: The secret of the token.
    public init(_ token: String, secret: String) {
        self.token = token
        self.secret = secret
    }
}

extension OAuth1Client {
    /// Returns the value of `Authorization` for a call (RFC 5849 section 3).
    ///
    /// - Parameters:
    ///   - call: The call. The fields of a form in its body are signed.
    ///   - token: The token, or `nil` for the first request of a sign-in.
    ///   - nonce: A string that is used only once.
    ///   - parameters: Further parameters of the protocol, such as `oauth_callback`.
    func authorization(
        for call: NetworkCall, token: OAuth1Token?, nonce: String, parameters: KeyValuePairs<String, String> = [:]
    ) async throws(NetworkError) -> String {
        var own = [("oauth_consumer_key", key), ("oauth_signature_method", method.rawValue)]
        if let token { own.append(("oauth_token", token.token)) }
        // `PLAINTEXT` may leave them out (section 3.1), but services such as Discogs require them.
        own += [("oauth_timestamp", String(Int(call.clock.date().timeIntervalSince1970))), ("oauth_nonce", nonce)]
        own += parameters.map { ($0.key, $0.value) }
        own.append(("oauth_signature", try await signature(of: call, own, tokenSecret: token?.secret ?? "")))
        let fields = own.map { "\($0.0.percentEncoded)=\"\($0.1.percentEncoded)\"" }
        return "OAuth " + ((realm.map { ["realm=\"\($0.percentEncoded)\""] } ?? []) + fields).joined(separator: ", ")
    }

    private func signature(
        of call: NetworkCall, _ own: [(String, String)], tokenSecret: String
    ) async throws(NetworkError) -> String {
        let secrets = "\(secret.percentEncoded)&\(tokenSecret.percentEncoded)"
        if method == .plaintext { return secrets }
        let target = call.url.target
        let items = RequestQuery(parsing: target.query ?? "").items + (try await call.formFields())
        let parameters = (own + items.map { ($0.name, $0.value) }).map { ($0.0.percentEncoded, $0.1.percentEncoded) }
        let sorted = parameters.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        // The base string (section 3.4.1).
        let address = "\(call.url.scheme?.lowercased() ?? "")://\(call.hostField)\(target.path)"
        let text = [call.method.rawValue.uppercased(), address, sorted].map(\.percentEncoded).joined(separator: "&")
        return KeyedDigest.of(Data(text.utf8), method == .hmacSHA256 ? .sha256 : .sha1, key: Data(secrets.utf8)).base64
    }

    /// Returns whether the secrets may be sent to the server of a call.
    func maySign(_ call: NetworkCall) -> Bool {
        method != .plaintext || call.url.scheme?.lowercased() == "https"
            || ["127.0.0.1", "[::1]", "localhost"].contains(call.origin.hostAndPort.replacing(/:\d+$/, with: ""))
    }
}

extension OAuth1Client: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type and the method, without key and secret.
    public var description: String { "OAuth1Client(\(method.rawValue))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror without key and secret.
    public var customMirror: Mirror { Mirror(self, children: ["method": method], displayStyle: .struct) }
}

extension OAuth1Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type, without token and secret.
    public var description: String { "OAuth1Token" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror without token and secret.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
