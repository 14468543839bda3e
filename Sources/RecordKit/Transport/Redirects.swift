import Foundation

/// The redirects of one attempt: where each leads, and what may go there (RFC 9110 section 15.4).
struct Redirects {
    private let policy: RedirectPolicy
    private var visited: Set<String>
    private var count = 0

    init(of call: NetworkCall) {
        policy = call.options.redirects ?? .follow
        visited = [Self.step(call)]
    }

    /// The call that follows the response; nil when the response is the answer.
    ///
    /// Credentials go to no other origin than the one they were meant for.
    mutating func next(after response: NetworkResponse, of call: NetworkCall) throws(NetworkError) -> NetworkCall? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode), policy.scope != .nowhere,
            let location = response.headers["Location"]
        else { return nil }
        guard let url = Self.resolve(location, against: call.url) else {
            throw refusal(.badLocation, response, String(location.prefix(200)))
        }
        let place = url.redacted(response.headers.secretNames)
        if count >= policy.limit { throw refusal(.tooMany(limit: policy.limit), response, place) }
        count += 1

        let leavesOrigin = url.origin != call.url.origin
        if leavesOrigin, policy.scope == .sameOrigin { throw refusal(.otherOrigin, response, place) }
        if call.url.scheme?.lowercased() == "https", url.scheme?.lowercased() == "http", !policy.allowsInsecure {
            throw refusal(.insecure, response, place)
        }

        var next = call
        next.url = url
        if leavesOrigin { next.headers = call.headers.withoutSecrets() }
        if Self.becomesGet(response.statusCode, call.method) {
            next.method = call.method == .head ? .head : .get
            next.body = nil
            for name in Self.contentHeaders { next.headers.remove(name) }
        } else if let body = call.body, !body.canBeSentAgain {
            throw refusal(.bodyCannotBeSentAgain, response, place)
        }
        if !visited.insert(Self.step(next)).inserted { throw refusal(.loop, response, place) }
        return next
    }

    private func refusal(
        _ reason: RedirectRefusal.Reason, _ response: NetworkResponse, _ location: String
    ) -> NetworkError {
        .redirectRefused(RedirectRefusal(reason: reason, response: response, location: location))
    }

    /// 303 asks for a GET; 301 and 302 after a POST are treated so by everybody (RFC 9110 sections 15.4.2 to 15.4.4).
    private static func becomesGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        status == 303 || (status == 301 || status == 302) && method == .post
    }

    /// What describes a body that is no longer there (RFC 9110 section 15.4).
    private static let contentHeaders = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Disposition",
        "Content-Digest", "Digest", "Expect",
    ]

    /// Foundation's own following gets relative addresses wrong on Linux.
    private static func resolve(_ location: String, against base: URL) -> URL? {
        guard let url = URL(string: location, relativeTo: base),
            var parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            parts.host?.isEmpty == false
        else { return nil }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        return parts.url
    }

    private static func step(_ call: NetworkCall) -> String {
        "\(call.method) \(call.url.absoluteString)"
    }
}

extension URL {
    /// Scheme, host and port (RFC 6454).
    var origin: String {
        "\(scheme?.lowercased() ?? "")://\(hostAndPort.lowercased())"
    }
}
