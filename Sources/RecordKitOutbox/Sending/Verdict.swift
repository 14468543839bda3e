import Foundation
import RecordKit
import RecordKitInterceptors

/// What the outcome of a call means for its entry and for the outbox.
///
/// Only the response of the server that was asked to this request is an answer. The response is read before the request
/// maps it to a value or an error of its own: a request may map "no connection" to a value.
enum Verdict: Sendable {
    /// What keeps an entry from being answered.
    struct Trouble: Sendable {
        /// The reason of a pause for it.
        var pause = OutboxStatus.Pause.serverBusy
        /// The time that the server asks to wait.
        var wait: Duration?
        /// What has happened, for the note. Has no query, body or header field.
        let text: String
        /// Whether it is a 409 that may say that the earlier attempt is in progress.
        var isConflict = false
    }

    /// The entry has its result.
    case answered(StoredResult)
    /// Nothing can be sent now, whatever the request is. Not counted.
    case notNow(Trouble)
    /// The request has failed, and may have reached a server.
    case failed(Trouble)
    /// The request can't be sent by this version of the app.
    case unsendable(String)
}

/// The outcome of a call, and what its request expects.
struct ReceivedOutcome {
    let failure: NetworkError?
    let response: NetworkResponse?
    /// Whether the request has a policy for redirects of its own.
    let hasOwnRedirects: Bool
    /// Whether an HTML page may be what the request asks for.
    let acceptsHTML: Bool
    /// Whether a 409 may be about an earlier attempt.
    let isRepeat: Bool
    /// The date that a date in the response is relative to.
    let now: Date
    /// Returns whether the domain reads the response as "try later".
    let wantsAgain: (NetworkResponse) -> Bool

    var verdict: Verdict {
        switch failure {
        case .interceptor(let failure): verdict(of: failure)
        case .redirectRefused(let refusal): redirected(refusal.response, to: refusal.location)
        case _ where response != nil: response.map { verdict(of: $0) } ?? .failed(.init(text: ""))
        case .tooLarge(let failure): .answered(StoredResult(.tooLarge(limit: failure.limit, host: failure.host)))
        case .invalidRequest(let failure) where !failure.mayHaveReachedServer:
            .unsendable("\(failure.request) can't be built: its \(failure.member) isn't valid.")
        case .connection(let failure) where failure.kind == .proxyRefused(status: 407):
            .notNow(.init(pause: .signedOut, text: "\(failure)"))
        case .connection, .timedOut: unanswered
        case .invalidRequest: .failed(.init(text: "The body could not be sent as it was built."))
        case .cancelled: .failed(.init(text: "The client cancelled the call."))
        case let failure?: .failed(.init(text: "\(failure)"))
        case nil: .failed(.init(text: "The client returned no response."))
        }
    }

    /// The verdict of a call without a response.
    private var unanswered: Verdict {
        let trouble = Verdict.Trouble(pause: .noConnection, text: failure.map { "\($0)" } ?? "")
        return failure?.mayHaveReachedServer == false ? .notNow(trouble) : .failed(trouble)
    }

    private func verdict(of response: NetworkResponse) -> Verdict {
        let status = response.statusCode
        let asks = response.headers.contains("Retry-After")
        // A limit of calls that is used up isn't a request to try again, so only this field counts.
        let wait = asks ? response.retryAfter(now: now) : nil
        var trouble = Verdict.Trouble(wait: wait, text: "The server responded with \(status).")
        switch status {
        case 401, 407:
            trouble.pause = .signedOut
            return .notNow(trouble)
        // A portal, or a proxy before the server, such as Cloudflare's, that can't reach it.
        case 511, 521, 522, 523, 525, 526, 530:
            trouble.pause = .noConnection
            return .notNow(trouble)
        case 429: return .notNow(trouble)
        case 503 where asks: return .notNow(trouble)
        case 408, 421, 425, 500...: return .failed(trouble)
        case 400... where asks: return .failed(trouble)
        case 409 where isRepeat:
            trouble.isConflict = true
            return .failed(trouble)
        case 200..<300 where !acceptsHTML && response.isPage:
            return .failed(
                .init(
                    text: "The server, or a network with a sign-in page, responded with \(status) and an HTML page. If "
                        + "the page is the response, name text/html in the request's Accept."))
        case 200..<300, 400..<500:
            if wantsAgain(response) {
                return .failed(.init(wait: wait, text: "The server responded with \(status), and asked to try later."))
            }
            return .answered(StoredResult(response, expectedType: failure?.expectedType))
        case 300..<400 where hasOwnRedirects: return .answered(StoredResult(response))
        case 300..<400: return redirected(response, to: response.headers["Location"] ?? "")
        default: return .failed(trouble)
        }
    }

    private func redirected(_ response: NetworkResponse, to location: String) -> Verdict {
        let host = URL(string: location, relativeTo: response.url)?.host() ?? "no valid URL"
        return .failed(
            .init(
                text: "The server responded with \(response.statusCode), a redirect to \(host), which wasn't followed. "
                    + "If a redirect is the response, set `redirects` in the request's options."))
    }

    private func verdict(of failure: NetworkError.InterceptorFailure) -> Verdict {
        var trouble = Verdict.Trouble(text: "\(failure.interceptor) ended the call.")
        if NetworkError.interceptor(failure).isUnauthorized {
            trouble.pause = .signedOut
            return .notNow(trouble)
        }
        let cause = failure.cause as? NetworkError
        let response = cause?.response ?? failure.response
        trouble.wait =
            (failure.cause as? RateLimitInterceptor.TooLongError)?.wait
            ?? response.flatMap { $0.headers.contains("Retry-After") ? $0.retryAfter(now: now) : nil }
        if cause != nil, response == nil { trouble.pause = .noConnection }
        return failure.kind == .unavailable || trouble.wait != nil ? .notNow(trouble) : .failed(trouble)
    }
}

extension NetworkResponse {
    /// Whether the body is an HTML page. The type alone is no sign: many servers call "ok" text/html.
    fileprivate var isPage: Bool {
        guard mediaType?.essence == "text/html" else { return false }
        let start = String(decoding: body.prefix(1024), as: UTF8.self)
            .drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix(14).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }
}

extension NetworkError {
    /// The media type that was expected, if the response was refused for its type.
    fileprivate var expectedType: String? {
        guard case .decoding(let failure) = self,
            case .unexpectedType(_, let expected)? = failure.cause as? NetworkResponse.ReadingError
        else { return nil }
        return expected
    }
}
