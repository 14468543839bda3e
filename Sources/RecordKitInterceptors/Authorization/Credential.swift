import Foundation
import RecordKit

/// What tells a server who sends a request. It never prints its value.
public struct Credential: Sendable, Hashable {
    private enum Place: Sendable, Hashable {
        case header, query
    }

    private let place: Place
    private let name: String
    private let value: String
    /// What is wrong with the credential, as part of a sentence. The first call that it is for fails with it.
    private let problem: String?

    private init(_ place: Place, _ name: String, _ value: String, problem: String? = nil) {
        self.place = place
        self.name = name
        self.value = value
        self.problem = problem ?? (name.isEmpty ? "its name is empty" : nil)
    }

    /// `Authorization: Bearer …` (RFC 6750 section 2.1).
    public static func bearer(_ token: String) -> Credential {
        scheme("Bearer", token)
    }

    /// `Authorization: Basic …`, in UTF-8 and Normalization Form C (RFC 7617). A user name has no colon.
    public static func basic(user: String, password: String) -> Credential {
        let text = "\(user):\(password)".precomposedStringWithCanonicalMapping
        let encoded = Data(text.utf8).base64EncodedString()
        let isPlain = (user + password).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let problem =
            user.contains(":")
            ? "the user name has a colon, which ends it (RFC 7617 section 2)"
            : isPlain ? nil : "user name or password has a control character (RFC 7617 section 2)"
        return Credential(.header, "Authorization", "Basic \(encoded)", problem: problem)
    }

    /// `Authorization: WORD PARAMETERS`, for a scheme of the server's own:
    ///
    /// ```swift
    /// .scheme("Discogs", "token=\(token)")
    /// ```
    public static func scheme(_ word: String, _ parameters: String) -> Credential {
        // What is no token may be the credential by mistake, so it isn't quoted.
        let problem = isToken(word) ? nil : "its scheme is no token (RFC 9110 section 11.1)"
        return Credential(.header, "Authorization", "\(word) \(parameters)", problem: problem)
    }

    private static func isToken(_ word: String) -> Bool {
        !word.isEmpty
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    /// A key in a header of the server's own, such as `X-API-Key`.
    public static func header(_ name: String, _ value: String) -> Credential {
        Credential(.header, name, value)
    }

    /// A key in a query item. Addresses end up in the logs of servers and proxies; prefer a header where there is one.
    public static func query(_ name: String, _ value: String) -> Credential {
        Credential(.query, name, value)
    }

    /// Whether the call brings a credential of its own in this one's place.
    func isGiven(in call: NetworkCall) -> Bool {
        switch place {
        case .header: call.headers.contains(name)
        case .query: isItem(of: call.url)
        }
    }

    /// Returns whether the server that responded to a call with this credential had been sent it. A redirect to another
    /// origin drops headers for good, and every redirect drops query items.
    func wasSent(with call: NetworkCall, to response: NetworkResponse) -> Bool {
        let urls = [response.url] + response.redirects.map(\.url)
        guard urls.allSatisfy({ Origin($0) == call.origin }) else { return false }
        return place == .header || response.redirects.isEmpty || isItem(of: response.url)
    }

    private func isItem(of url: URL) -> Bool {
        RequestQuery(parsing: url.query(percentEncoded: true) ?? "").items.contains { $0.name == name }
    }

    /// Returns the call with this credential, its name marked as sensitive; as it is when it brings its own.
    func signing(_ call: NetworkCall) throws(NetworkError) -> NetworkCall {
        if isGiven(in: call) { return call }
        if let problem {
            throw .interceptor(AuthorizationInterceptor.failure("the credential: \(problem)"))
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
        var text = url.absoluteString
        let fragment = text.firstIndex(of: "#").map { String(text[$0...]) } ?? ""
        text.removeLast(fragment.count)
        text += text.contains("?") ? "&" : "?"
        text += RequestQuery([RequestQuery.Item(name: name, value: value)]).encoded
        guard let url = URL(string: text + fragment) else {
            throw .interceptor(AuthorizationInterceptor.failure("no address can be made with the query item"))
        }
        return url
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it goes, not what it is: `Authorization: redacted`.
    public var description: String {
        "\(name)\(place == .header ? ": " : "=")redacted"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["name": name], displayStyle: .struct)
    }
}
