public import Foundation
public import RecordKit
import RecordKitStructuredFields

/// The limits that a server declares in the header of a response.
struct ServerLimits {
    /// The value of `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3).
    var retryAfter: Duration?
    /// The value of `Backoff`: how long to send only what is necessary. Any response may have it.
    var backoff: Duration?
    /// The number of calls that the server accepts in its window.
    var limit: Int?
    /// The number of calls left in the window.
    var remaining: Int?
    /// The time until the window ends.
    var reset: Duration?

    /// Reads the limits from the header of a response.
    ///
    /// - Parameters:
    ///   - headers: The header of the response.
    ///   - date: Returns the current date of this device. Called only if the header contains a date but no `Date`
    ///     field.
    init(_ headers: HTTPHeaders, date: () -> Date) {
        for field in headers {
            // This runs for every response, and most names aren't among these.
            switch field.name.utf8.first.map({ $0 | 0x20 }) {
            case UInt8(ascii: "r"), UInt8(ascii: "x"), UInt8(ascii: "b"): break
            default: continue
            }
            let name = field.name.lowercased()
            switch name {
            case "retry-after":
                // A number is always in seconds.
                retryAfter = Self.number(field.value).map(Self.duration) ?? Self.time(field.value, headers, date)
            case "backoff": backoff = Self.number(field.value).map(Self.duration)
            case "ratelimit": readPolicies(field.value)
            case "x-discogs-ratelimit": limit = Self.count(field.value[...])
            default:
                guard name.hasPrefix("ratelimit-") || name.hasPrefix("x-rate") || name.hasPrefix("x-discogs-rate")
                else { continue }
                if name.hasSuffix("-limit") { limit = Self.count(field.value[...]) }
                if name.hasSuffix("-remaining") { remaining = Self.count(field.value[...]) }
                if name.hasSuffix("-reset") || name.hasSuffix("-reset-after") {
                    reset = Self.time(field.value, headers, date)
                }
            }
        }
    }

    var isEmpty: Bool { retryAfter == nil && backoff == nil && remaining == nil }

    /// The time to wait before a call is sent again, and the field that says so. `nil` if the response doesn't say.
    var pause: (time: Duration, name: String)? {
        if let retryAfter { return (retryAfter, "Retry-After") }
        if let reset, remaining ?? 0 <= 0 { return (reset, "RateLimit-Reset") }
        return nil
    }

    /// Reads `"burst";r=3;t=10, "day";r=900;t=3600`, or the older `limit=10, remaining=3, reset=10`.
    ///
    /// The policy with the fewest calls left counts. If there are several, the one that ends last counts. A field that
    /// isn't a structured field isn't read (RFC 9651 section 4.2).
    private mutating func readPolicies(_ value: String) {
        if let policies = StructuredField.list(value) {
            let tightest = policies.compactMap(\.item).map { policy in
                (remaining: Self.count(policy.parameters["r"]), reset: Self.duration(policy.parameters["t"]))
            }.min { one, other in
                one.remaining == other.remaining
                    ? one.reset ?? .zero > other.reset ?? .zero
                    : one.remaining ?? .max < other.remaining ?? .max
            }
            (remaining, reset) = (tightest?.remaining ?? remaining, tightest?.reset ?? reset)
        } else if let members = StructuredField.dictionary(value) {
            for (name, member) in members {
                switch name {
                case "limit": limit = Self.count(member.item?.value) ?? limit
                case "remaining": remaining = Self.count(member.item?.value) ?? remaining
                case "reset": reset = Self.duration(member.item?.value) ?? reset
                default: break
                }
            }
        }
    }

    private static func count(_ item: StructuredField.BareItem?) -> Int? {
        guard case .integer(let number)? = item, number >= 0 else { return nil }
        return number
    }

    private static func duration(_ item: StructuredField.BareItem?) -> Duration? {
        switch item {
        case .integer(let seconds)? where seconds >= 0: duration(Double(seconds))
        case .decimal(let seconds)? where seconds >= 0: duration(seconds)
        default: nil
        }
    }

    /// Returns the time until a value: seconds from now, seconds or milliseconds since 1970, or a date. Relative to the
    /// server's `Date`, if the response has one.
    private static func time(_ value: String, _ headers: HTTPHeaders, _ date: () -> Date) -> Duration? {
        func now() -> Date { headers["Date"].flatMap { HTTPDate($0, now: date()) }?.date ?? date() }
        if let number = number(value) {
            if number < 1e9 { return duration(number) }
            return duration((number < 1e11 ? number : number / 1000) - now().timeIntervalSince1970)
        }
        // A date contains a comma.
        let first = value.split(separator: ",", omittingEmptySubsequences: false).prefix(2).joined(separator: ",")
        return HTTPDate(first, now: date()).map { duration($0.date.timeIntervalSince(now())) }
    }

    /// Returns the first number of a list. URLSession joins fields of the same name into a list.
    private static func number(_ value: String) -> Double? {
        value.split(separator: ",", omittingEmptySubsequences: false).first.flatMap { seconds(trimmed($0)) }
    }

    private static let numberBytes = Set("0123456789.".utf8)

    /// Returns a number without a sign. `Double` would also accept `inf` and `0x1p3`.
    private static func seconds(_ string: Substring) -> Double? {
        guard string.utf8.allSatisfy(numberBytes.contains) else { return nil }
        return Double(string)
    }

    /// Returns the number at the beginning of a string: 100 for `100, 100;window=60`.
    private static func count(_ string: Substring) -> Int? {
        let digits = string.prefix { $0 >= "0" && $0 <= "9" }
        return digits.isEmpty ? nil : Int(digits) ?? .max
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? ""
    }

    /// Returns a duration from zero to a year.
    private static func duration(_ seconds: Double) -> Duration {
        .seconds(min(max(seconds, 0), 366 * 86_400))
    }
}

extension NetworkResponse {
    /// Returns how long the server asks to wait before the next call, whatever the status.
    ///
    /// The time is in `Retry-After` (RFC 9110 section 10.2.3), or in `RateLimit-Reset` and similar fields if no call is
    /// left.
    ///
    /// - Parameter now: The date that a date in the header is relative to, if the response has no `Date` field.
    /// - Returns: At most a year, or `nil` if the response doesn't say.
    public func retryAfter(now: Date = Date()) -> Duration? {
        ServerLimits(headers, date: { now }).pause?.time
    }
}
