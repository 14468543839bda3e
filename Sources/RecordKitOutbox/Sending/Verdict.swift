import Foundation
import RecordKit
import RecordKitInterceptors

/// What the outcome of a call means for its entry and for the outbox.
///
/// Final is only the word of a server that has read the request. It is looked at before the request makes a value or an
/// error of it: a request may read "no connection" as a value.
enum Verdict: Sendable {
    /// The entry has its answer.
    case final(Answer)
    /// Nothing can be sent now.
    case pause(OutboxStatus.Pause, atLeast: Duration? = nil)
    /// The entry waits, and the others go on. Counted.
    case serverError(String)
    /// The request can't be sent by this version of the app.
    case unreadable(String)
    /// The call was cancelled. Not counted.
    case again
}

extension Verdict {
    /// - Parameters:
    ///   - wantsAgain: Whether the domain reads the response as "try later".
    ///   - now: The date that a date in the response is relative to.
    init(_ failure: NetworkError?, _ response: NetworkResponse?, wantsAgain: Bool, now: Date) {
        switch failure {
        case nil, .status, .decoding:
            guard let response = failure?.response ?? response else {
                self = .serverError("The client returned no response.")
                return
            }
            self.init(response, expectedType: failure?.expectedType, wantsAgain: wantsAgain, now: now)
        case .tooLarge(let failure):
            var answer = Answer(.tooLarge)
            (answer.limit, answer.host) = (Double(failure.limit), failure.host)
            self = .final(answer)
        case .connection(let failure):
            if case .proxyRefused(407) = failure.kind { self = .pause(.signedOut) } else { self = .pause(.noConnection) }
        case .timedOut: self = .pause(.noConnection)
        case .cancelled: self = .again
        case .invalidRequest(let failure): self = .unreadable("\(NetworkError.invalidRequest(failure))")
        case .interceptor(let failure): self.init(failure, now: now)
        case .redirectRefused(let failure): self = .serverError("\(NetworkError.redirectRefused(failure))")
        case .badResponse(let failure): self = .serverError("\(NetworkError.badResponse(failure))")
        case .file(let failure): self = .serverError("\(NetworkError.file(failure))")
        @unknown default: self = .serverError(failure.map { "\($0)" } ?? "")
        }
    }

    private init(_ response: NetworkResponse, expectedType: String?, wantsAgain: Bool, now: Date) {
        switch response.statusCode {
        case 401, 407: self = .pause(.signedOut)
        case 408, 421, 425, 429, 502, 503, 504:
            self = .pause(.serverBusy, atLeast: response.retryAfter(now: now))
        // A limit of calls that is used up isn't a request to try again, so only this field counts.
        case 400... where response.headers.contains("Retry-After"):
            self = .pause(.serverBusy, atLeast: response.retryAfter(now: now))
        case 500...: self = .serverError("The server refused the request: \(response.statusCode).")
        case _ where wantsAgain: self = .serverError("The server asked to try again later: \(response.statusCode).")
        default: self = .final(Answer(response, expectedType: expectedType))
        }
    }

    private init(_ failure: NetworkError.InterceptorFailure, now: Date) {
        if failure.isSignedOut {
            self = .pause(.signedOut)
        } else if let response = failure.response {
            self.init(response, expectedType: nil, wantsAgain: false, now: now)
        } else if let cause = failure.cause as? NetworkError {
            self.init(cause, cause.response, wantsAgain: false, now: now)
        } else if let cause = failure.cause as? RateLimitInterceptor.TooLong {
            self = .pause(.serverBusy, atLeast: cause.wait)
        } else {
            self = .serverError("\(NetworkError.interceptor(failure))")
        }
        // The response was one to the interceptor's own call, such as that for a token.
        if case .final = self { self = .serverError("\(NetworkError.interceptor(failure))") }
        if case .unreadable(let note) = self { self = .serverError(note) }
    }
}

extension NetworkError {
    /// The media type that was expected, if the response was refused for its type.
    fileprivate var expectedType: String? {
        guard case .decoding(let failure) = self,
            case .unexpectedType(_, let expected)? = failure.cause as? NetworkResponse.Unreadable
        else { return nil }
        return expected
    }
}

extension NetworkError.InterceptorFailure {
    /// Whether there is no token to sign the call with.
    var isSignedOut: Bool { interceptor == "AuthorizationInterceptor" && response == nil && !(cause is NetworkError) }
}
