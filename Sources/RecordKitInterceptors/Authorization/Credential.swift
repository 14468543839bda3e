import Foundation
import RecordKit

/// A credential that identifies the sender of a request. Its value is never printed.
public struct Credential: Sendable, Hashable {
    private enum Place: Sendable, Hashable {
        case header, query
    }

    private let place: Place
    private let name: String
    private let value: String
    /// The reason why the credential is invalid, as part of a sentence. The first call that needs the credential fails
    /// with it.
    private let invalidReason: String?

    private init(_ place: Place, _ name: String, _ value: String, invalidReason: String? = nil) {
        self.place = place
        self.name = name
        self.value = value
        self.invalidReason = invalidReason ?? (name.isEmpty ? "its name is empty" : nil)
    }

    /// Returns the credential `Authorization: Bearer …` (RFC 6750 section 2.1).
    ///
    /// - Parameter token: The access token.
    public static func bearer(_ token: String) -> Credential {
        scheme("Bearer", token)
    }

    /// Returns the credential `Authorization: Basic …`, encoded in UTF-8 and Normalization Form C (RFC 7617).
    ///
    /// - Parameters:
    ///   - user: The user name. It can't contain a colon.
    ///   - password: The password.
    public static func basic(user: String, password: String) -> Credential {
        let plain = "\(user):\(password)".precomposedStringWithCanonicalMapping
        let encoded = Data(plain.utf8).base64EncodedString()
        let isPlain = (user + password).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let invalidReason =
            user.contains(":")
            ? "the user name contains a colon, which ends it (RFC 7617 section 2)"
            : isPlain ? nil : "the user name or the password contains a control character (RFC 7617 section 2)"
        return Credential(.header, "Authorization", "Basic \(encoded)", invalidReason: invalidReason)
    }

    /// Returns an `Authorization` credential with a scheme that the server defines:
    ///
    /// ```swift
    /// let discogs = Credential.scheme("Discogs", "token=\(token)")
    /// ```
    ///
    /// - Parameters:
    ///   - word: The name of the scheme.
    ///   - parameters: The rest of the field value, sent unchanged.
    public static func scheme(_ word: String, _ parameters: String) -> Credential {
        // An invalid scheme may be the credential itself, passed by mistake, so it isn't quoted.
        let invalidReason = isToken(word) ? nil : "its scheme isn't a valid token (RFC 9110 section 11.1)"
        return Credential(.header, "Authorization", "\(word) \(parameters)", invalidReason: invalidReason)
    }

    private static func isToken(_ word: String) -> Bool {
        !word.isEmpty
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    /// Returns a credential that is sent in a header field, such as `X-API-Key`.
    ///
    /// - Parameters:
    ///   - name: The name of the header field.
    ///   - value: The value of the header field.
    public static func header(_ name: String, _ value: String) -> Credential {
        Credential(.header, name, value)
    }

    /// Returns a credential that is sent in a query item.
    ///
    /// URLs end up in the logs of servers and proxies. Prefer a header field if the server accepts one.
    ///
    /// - Parameters:
    ///   - name: The name of the query item.
    ///   - value: The value of the query item.
    public static func query(_ name: String, _ value: String) -> Credential {
        Credential(.query, name, value)
    }

    /// Returns whether the call already has this header field or query item.
    func isGiven(in call: NetworkCall) -> Bool {
        switch place {
        case .header: call.headers.contains(name)
        case .query: isItem(of: call.url)
        }
    }

    /// Returns whether this credential was sent to the server that responded.
    ///
    /// A redirect to another origin removes header fields. Every redirect removes query items.
    func wasSent(with call: NetworkCall, to response: NetworkResponse) -> Bool {
        let urls = [response.url] + response.redirects
        guard urls.allSatisfy({ URLOrigin($0) == call.origin }) else { return false }
        return place == .header || response.redirects.isEmpty || isItem(of: response.url)
    }

    private func isItem(of url: URL) -> Bool {
        RequestQuery(parsing: url.query(percentEncoded: true) ?? "").items.contains { $0.name == name }
    }

    /// Returns the call with this credential, its name marked as sensitive. A call that already has the header field or
    /// the query item is returned unchanged.
    func signing(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        if isGiven(in: call) { return call }
        if let invalidReason {
            throw .interceptor(AuthorizationInterceptor.failure("the credential: \(invalidReason)"))
        }
        var call = call
        switch place {
        case .header:
            call.headers.add(name, value)
            if name != "Authorization" { call.headers.markSensitive([name]) }
        case .query:
            call.url = try adding(to: call.url)
            call.headers.markSensitive([name])
        }
        return call
    }

    private func adding(to url: URL) throws(NetworkError) -> URL {
        var string = url.absoluteString
        let fragment = string.firstIndex(of: "#").map { String(string[$0...]) } ?? ""
        string.removeLast(fragment.count)
        string += string.contains("?") ? "&" : "?"
        string += RequestQuery([RequestQuery.Item(name: name, value: value)]).encoded
        guard let url = URL(string: string + fragment) else {
            throw .interceptor(AuthorizationInterceptor.failure("the credential's query item makes the URL invalid"))
        }
        return url
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The place of the credential without its value: `Authorization: redacted`.
    public var description: String {
        "\(name)\(place == .header ? ": " : "=")redacted"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name], displayStyle: .struct)
    }
}
