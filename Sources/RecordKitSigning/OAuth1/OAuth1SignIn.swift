public import Foundation
public import RecordKit
import RecordKitInterceptors

/// Signs a person in with the three requests of OAuth 1.0a (RFC 5849 section 2).
///
/// ```swift
/// let signIn = OAuth1SignIn(
///     client, requestTokenURL: requestURL, authorizationURL: pageURL,
///     accessTokenURL: accessURL, callback: "com.example.store:/signed-in")
/// let pending = try await signIn.start()
/// let redirect = try await open(pending.url)
/// let token = try await pending.token(from: redirect)
/// ```
public struct OAuth1SignIn: Sendable {
    /// A sign-in that waits for the person.
    public struct Pending: Sendable {
        /// The page on which the person decides. Open it in a browser.
        public let url: URL
        private let temporary: OAuth1Token
        private let signIn: OAuth1SignIn

        fileprivate init(url: URL, _ temporary: OAuth1Token, of signIn: OAuth1SignIn) {
            self.url = url
            self.temporary = temporary
            self.signIn = signIn
        }

        /// Finishes the sign-in with the redirect of the server.
        ///
        /// - Parameter redirect: The URL that the server redirected the person to.
        /// - Returns: The token of the person. It doesn't expire until the person revokes it.
        /// - Throws: ``OAuth1SignInError``.
        public func token(from redirect: URL) async throws(OAuth1SignInError) -> OAuth1Token {
            let items = RequestQuery(parsing: redirect.target.query ?? "").items
            func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
            if value("denied") == temporary.token || value("oauth_problem") != nil { throw .denied }
            guard value("oauth_token") == temporary.token else { throw .otherSignIn }
            guard let verifier = value("oauth_verifier") else { throw .denied }
            return try await token(verifier: verifier)
        }

        /// Finishes the sign-in with the code that the server showed to the person.
        ///
        /// - Parameter verifier: The code.
        /// - Returns: The token of the person.
        /// - Throws: ``OAuth1SignInError``.
        public func token(verifier: String) async throws(OAuth1SignInError) -> OAuth1Token {
            try await signIn.token(for: temporary, verifier)
        }
    }

    private let client: OAuth1Client
    private let requestTokenURL: URL
    private let authorizationURL: URL
    private let accessTokenURL: URL
    private let callback: String
    private let session: NetworkSession

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - requestTokenURL: The URL of temporary tokens (section 2.1).
    ///   - authorizationURL: The page on which the person decides (section 2.2).
    ///   - accessTokenURL: The URL of the person's token (section 2.3).
    ///   - callback: The URL to which the server redirects the person, or `oob` if it shows a code to type. Default:
    ///     `oob`.
    ///   - session: The session of the two requests. It needs no interceptor for them.
    public init(
        _ client: OAuth1Client, requestTokenURL: URL, authorizationURL: URL, accessTokenURL: URL,
        callback: String = "oob", in session: NetworkSession = .shared
    ) {
        self.client = client
        self.requestTokenURL = requestTokenURL
        self.authorizationURL = authorizationURL
        self.accessTokenURL = accessTokenURL
        self.callback = callback
        self.session = session
    }

    /// Requests a temporary token.
    ///
    /// - Returns: The page for the person.
    /// - Throws: ``OAuth1SignInError``.
    public func start() async throws(OAuth1SignInError) -> Pending {
        let fields = try await fields(from: requestTokenURL, token: nil, ["oauth_callback": callback])
        guard fields["oauth_callback_confirmed"] == "true" else {
            // A server of OAuth 1.0 without the a, which lets others finish the sign-in.
            throw .badResponse("the server doesn't confirm the callback (RFC 5849 section 2.1)")
        }
        let token = try token(in: fields)
        let text = authorizationURL.absoluteString
        let page = text + (text.contains("?") ? "&" : "?") + "oauth_token=\(token.token.percentEncoded)"
        guard let url = URL(string: page) else { throw .badResponse("the page of the server has no valid URL") }
        return Pending(url: url, token, of: self)
    }

    private func token(
        for temporary: OAuth1Token, _ verifier: String
    ) async throws(OAuth1SignInError) -> OAuth1Token {
        try token(in: await fields(from: accessTokenURL, token: temporary, ["oauth_verifier": verifier]))
    }

    private func token(in fields: [String: String]) throws(OAuth1SignInError) -> OAuth1Token {
        guard let token = fields["oauth_token"], let secret = fields["oauth_token_secret"], !token.isEmpty else {
            throw .badResponse("the response has no oauth_token and oauth_token_secret")
        }
        return OAuth1Token(token, secret: secret)
    }

    /// Sends a signed request, and returns the fields of the form in its response.
    private func fields(
        from url: URL, token: OAuth1Token?, _ parameters: KeyValuePairs<String, String>
    ) async throws(OAuth1SignInError) -> [String: String] {
        let data: Data
        do throws(NetworkError) {
            let call = try session.call(for: TokenRequest(url: url))
            guard client.maySign(call) else {
                throw .invalidRequest(
                    NetworkError.InvalidRequest(member: .baseURL, reason: "PLAINTEXT requires https; use HMAC-SHA1"))
            }
            let authorization = try await client.authorization(
                for: call, token: token, nonce: .randomNonce(), parameters: parameters)
            data = try await session.value(for: TokenRequest(url: url)) { call in
                call.headers["Authorization"] = authorization
            }
        } catch {
            throw .network(error)
        }
        let items = RequestQuery(parsing: String(decoding: data, as: UTF8.self)).items
        return Dictionary(items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The reasons why a person wasn't signed in.
@nonexhaustive
public enum OAuth1SignInError: Error, Sendable {
    /// The person refused.
    case denied
    /// The redirect belongs to another sign-in.
    case otherSignIn
    /// The response isn't one of OAuth 1.0a. The string says what is missing.
    case badResponse(String)
    /// A request failed. A 401 means that the key, the secret or the clock is wrong.
    case network(NetworkError)
}

extension OAuth1SignInError: LocalizedError, CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .denied: "The sign-in was refused: ask the person to try again."
        case .otherSignIn: "The redirect belongs to another sign-in: start again."
        case .badResponse(let reason): "The server's response can't be used: \(reason)."
        case .network(let error): "\(error)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// A request for a token. Its response is small, and redirects aren't followed, since it is signed.
private struct TokenRequest: NetworkRequest {
    typealias ValueType = Data

    let url: URL

    var baseURL: String { url.absoluteString }
    var path: RequestPath { "" }
    var method: HTTPMethod { .post }
    var options: RequestOptions { RequestOptions(sizeLimit: 1 << 16, redirects: .never) }
}
