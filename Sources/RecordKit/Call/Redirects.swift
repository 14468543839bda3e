import Foundation

/// The redirects of one attempt: where each leads, and what may go there (RFC 9110 section 15.4).
struct Redirects {
    /// The redirects that have been followed.
    private(set) var followed: [NetworkResponse.Redirect] = []
    private let policy: RedirectPolicy
    private let limit: Int
    private let keepsCookies: Bool
    private var visited: Set<String> = []

    /// - Parameters:
    ///   - limit: how many whoever sends the call can follow at most, whatever the policy says.
    ///   - keepsCookies: whether cookies that are set on the way are sent from then on.
    init(of call: NetworkCall, limit: Int = .max, keepsCookies: Bool = false) {
        policy = call.options.redirects ?? .follow()
        self.keepsCookies = keepsCookies
        self.limit = min(limit, policy.limit)
    }

    /// Whether an answer with this status leads elsewhere when it names a place.
    static func isRedirect(_ statusCode: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(statusCode)
    }

    /// Whether the response is to be followed, allowed or not. Nobody waits for its body.
    func applies(to response: NetworkResponse) -> Bool {
        Self.isRedirect(response.statusCode) && policy != .never && response.headers.contains("Location")
    }

    /// The call that follows the response; nil when the response is the answer.
    ///
    /// Credentials go to no other origin than the one they were meant for.
    mutating func next(after response: NetworkResponse, of call: NetworkCall) throws(NetworkError)
        -> NetworkCall?
    {
        guard applies(to: response), let location = response.headers["Location"] else { return nil }
        guard let url = RedirectTarget.resolve(location, against: call.url) else {
            throw refusal(.badLocation, response, RedirectTarget.printable(location))
        }
        if followed.count >= limit { throw refusal(.tooMany(limit: limit), response, url) }
        let origin = Origin(url)
        let leavesOrigin = origin != call.origin
        if leavesOrigin, policy.staysInOrigin { throw refusal(.otherOrigin, response, url) }
        if call.origin.isSecure, !origin.isSecure, !policy.allowsInsecure {
            throw refusal(.insecure, response, url)
        }

        var next = call
        next.url = url
        if leavesOrigin {
            next.headers = call.headers.withoutSensitiveFields()
            next.headers.remove("Referer")
            // It names the server that is left.
            next.headers.remove("Host")
        }
        if Self.becomesGet(response.statusCode, call.method) {
            if call.method != .head { next.method = .get }
            next.body = nil
            next.headers.removeContentHeaders()
        } else if let body = call.body, !body.canBeSentAgain {
            throw refusal(.bodyCannotBeSentAgain, response, url)
        }
        if followed.isEmpty { visited.insert(Self.step(call)) }
        // With a cookie that is set on the way the same address may answer otherwise.
        if keepsCookies, response.headers.contains("Set-Cookie") { visited = [] }
        if !visited.insert(Self.step(next)).inserted { throw refusal(.loop, response, url) }
        followed.append(
            NetworkResponse.Redirect(statusCode: response.statusCode, method: call.method, url: call.url))
        return next
    }

    func refusal(_ reason: NetworkError.RedirectRefusal.Reason, _ response: NetworkResponse, _ url: URL) -> NetworkError
    {
        refusal(reason, response, url.redacted(response.headers.sensitiveNames))
    }

    private func refusal(
        _ reason: NetworkError.RedirectRefusal.Reason, _ response: NetworkResponse, _ location: String
    ) -> NetworkError {
        var response = response
        response.redirects = followed
        return .redirectRefused(NetworkError.RedirectRefusal(reason: reason, response: response, location: location))
    }

    /// 303 asks for a GET; 301 and 302 after a POST are treated so by everybody (RFC 9110 sections 15.4.2 to 15.4.4).
    private static func becomesGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        status == 303 || (status == 301 || status == 302) && method == .post
    }

    private static func step(_ call: NetworkCall) -> String {
        "\(call.method) \(call.url.absoluteString)"
    }
}

extension HTTPHeaders {
    /// Removes what describes a body that is no longer there, and what was asked of a resource that is no longer meant
    /// (RFC 9110 section 15.4).
    fileprivate mutating func removeContentHeaders() {
        for field in fields {
            let name = field.name.lowercased()
            if name.hasPrefix("content-") || name.hasPrefix("if-") || Self.ofContent.contains(name) { remove(name) }
        }
    }

    private static let ofContent: Set<String> = ["digest", "repr-digest", "last-modified", "expect"]
}
