import Foundation

/// The redirects of one attempt: where each one leads, and what is sent there (RFC 9110 section 15.4).
struct Redirects {
    /// The URLs that were redirected.
    private(set) var followed: [URL] = []
    private let policy: RedirectPolicy
    private let limit: Int
    private let keepsCookies: Bool
    private var visited: Set<String> = []
    /// The redirect that was followed last.
    private var last: NetworkResponse?

    /// Creates the redirects of an attempt.
    ///
    /// - Parameters:
    ///   - call: The first call of the attempt.
    ///   - limit: The number of redirects that the sender can follow. The policy may allow fewer.
    ///   - keepsCookies: Whether the next call sends the cookies that a redirect sets.
    init(of call: NetworkCall, limit: Int = .max, keepsCookies: Bool = false) {
        policy = (call.options.redirects ?? .follow()).target
        self.keepsCookies = keepsCookies
        self.limit = min(limit, policy.limit)
    }

    /// Returns the call that follows a redirect. Returns `nil` if the response isn't a redirect, or if the policy
    /// follows none.
    ///
    /// Removes credentials if the redirect leaves the origin.
    ///
    /// - Throws: ``NetworkError/redirectRefused(_:)`` if the redirect isn't allowed.
    mutating func next(after response: NetworkResponse, of call: NetworkCall) throws(NetworkError)
        -> NetworkCall?
    {
        guard response.isRedirect(for: call) else { return nil }
        let locations = RedirectTarget.locations(in: response.headers)
        guard locations.count == 1, let url = RedirectTarget.resolve(locations[0], against: call.url) else {
            throw refusal(.badLocation, response, locations.joined(separator: ", "))
        }
        let location = url.absoluteString
        if followed.count >= limit { throw refusal(.tooMany(limit: limit), response, location) }
        let origin = URLOrigin(url)
        let leavesOrigin = origin != call.origin
        if leavesOrigin, case .sameOrigin = policy { throw refusal(.otherOrigin, response, location) }
        if call.origin.isSecure, !origin.isSecure, !policy.allowsInsecure {
            throw refusal(.insecure, response, location)
        }

        var next = call
        next.url = url
        if leavesOrigin {
            next.headers = call.headers.withoutSensitiveFields()
            next.headers.remove("Referer")
            // `Host` names the previous server.
            next.headers.remove("Host")
        }
        if Self.becomesGet(response.statusCode, call.method) {
            if call.method != .head { next.method = .get }
            next.body = nil
            next.headers.removeContentHeaders()
        } else if let body = call.body, !body.canBeSentAgain {
            throw refusal(.bodyCannotBeSentAgain, response, location)
        }
        if followed.isEmpty { visited.insert(Self.step(call)) }
        // A new cookie may change the response of a URL, so visiting it again isn't a loop.
        if keepsCookies, response.headers.contains("Set-Cookie") { visited = [] }
        if !visited.insert(Self.step(next)).inserted { throw refusal(.loop, response, location) }
        last = response
        last?.redirects = followed
        followed.append(call.url)
        return next
    }

    /// Returns the error of an exchange. If a redirect led to a URL that the transport doesn't accept, such as one with
    /// an invalid host, the redirect is to blame, and not the base URL.
    func blamed(_ error: NetworkError, of call: NetworkCall) -> NetworkError {
        guard case .invalidRequest(let invalid) = error, invalid.member == .baseURL, let last else { return error }
        return .redirectRefused(
            NetworkError.RedirectRefusal(
                reason: .badLocation, response: last, location: RedirectTarget.printable(call.url.absoluteString)))
    }

    /// Returns the error for a redirect that isn't followed.
    func refusal(
        _ reason: NetworkError.RedirectRefusal.Reason, _ response: NetworkResponse, _ location: String
    ) -> NetworkError {
        var response = response
        response.redirects = followed
        return .redirectRefused(
            NetworkError.RedirectRefusal(
                reason: reason, response: response, location: RedirectTarget.printable(location)))
    }

    /// Returns whether the redirect changes the method to GET. HEAD stays HEAD.
    ///
    /// 303 asks for a GET. Clients also send a GET after a POST for 301 and 302 (RFC 9110 sections 15.4.2 to 15.4.4).
    private static func becomesGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        status == 303 || (status == 301 || status == 302) && method == .post
    }

    private static func step(_ call: NetworkCall) -> String {
        "\(call.method) \(call.url.absoluteString)"
    }
}

extension HTTPHeaders {
    /// Removes the fields that describe a removed body, and the conditions for the previous resource (RFC 9110 section
    /// 15.4).
    fileprivate mutating func removeContentHeaders() {
        for field in fields {
            let name = field.name.lowercased()
            if name.hasPrefix("content-") || name.hasPrefix("if-") || Self.ofContent.contains(name) { remove(name) }
        }
    }

    private static let ofContent: Set<String> = ["digest", "repr-digest", "last-modified", "expect"]
}
