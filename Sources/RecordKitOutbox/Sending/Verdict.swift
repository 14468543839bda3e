import Foundation
import RecordKit
import RecordKitInterceptors

/// What the outcome of a call means for its entry and for the outbox.
///
/// Only the response of a server that has read the request is final. The failure is read before the request maps it to
/// a value or an error of its own: a request may map "no connection" to a value.
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
    /// Reads the outcome of a call.
    ///
    /// - Parameters:
    ///   - failure: The failure behind the result of the request.
    ///   - response: The response, if any.
    ///   - wantsAgain: Whether the domain reads the response as "try later".
    ///   - now: The date that a date in the response is relative to.
    init(_ failure: NetworkError?, _ response: NetworkResponse?, wantsAgain: Bool, now: Date) {
        switch (failure, response) {
        case (.interceptor(let failure), _): self.init(failure, now: now)
        case (.redirectRefused, _): self = .serverError(failure.map { "\($0)" } ?? "")
        // A request may make any error of a response.
        case (_, let response?): self.init(response, failure?.expectedType, wantsAgain: wantsAgain, now: now)
        case (.tooLarge(let failure), _):
            self = .final(Answer(.tooLarge(limit: failure.limit, host: failure.host)))
        case (.connection(let failure), _):
            self = .pause(failure.kind == .proxyRefused(status: 407) ? .signedOut : .noConnection)
        case (.timedOut, _): self = .pause(.noConnection)
        case (.cancelled, _): self = .again
        case (.invalidRequest, _): self = .unreadable(failure.map { "\($0)" } ?? "")
        case (let failure?, _): self = .serverError("\(failure)")
        case (nil, nil): self = .serverError("The client returned no response.")
        }
    }

    private init(_ response: NetworkResponse, _ expectedType: String?, wantsAgain: Bool, now: Date) {
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
        let error = NetworkError.interceptor(failure)
        switch failure.cause {
        case _ where error.isUnauthorized: self = .pause(.signedOut)
        case let cause as NetworkError: self.init(cause, cause.response, wantsAgain: false, now: now)
        case let cause as RateLimitInterceptor.TooLongError: self = .pause(.serverBusy, atLeast: cause.wait)
        default: self = .serverError("\(error)")
        }
        // The cause is one of the interceptor's own call, such as that for a token, and not of this request.
        switch self {
        case .final, .unreadable: self = .serverError("\(error)")
        default: break
        }
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
