public import Foundation
public import RecordKit

extension NetworkResponse {
    /// How long the server asks to wait before the next call, whatever the status: by `Retry-After` (RFC 9110 section
    /// 10.2.3), or by `RateLimit-Reset` and its relatives where nothing is left of its limit. Nil when it does not say;
    /// at most a year.
    ///
    /// - Parameter now: what a date is counted from, when the answer has no `Date` of its own.
    public func retryAfter(now: Date = Date()) -> Duration? {
        ServerLimits(headers, date: { now }).pause?.time
    }
}
