public import Foundation
public import RecordKit

/// What an answer says of how much, and when, its server wants to be asked.
struct ServerLimits {
    /// `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3).
    var retryAfter: Duration?
    /// `Backoff`: how long not to ask more than must be, which may come with any answer.
    var backoff: Duration?
    /// How many calls the server takes in its window.
    var limit: Int?
    /// How many of them are left.
    var remaining: Int?
    /// How long until the window is over.
    var reset: Duration?

    /// - Parameter date: the date of this machine, asked when an answer with a date of the server's has none of its
    ///   own.
    init(_ headers: HTTPHeaders, date: () -> Date) {
        for field in headers.fields {
            // Every answer is looked at, and most of its names are none of these.
            switch field.name.utf8.first.map({ $0 | 0x20 }) {
            case UInt8(ascii: "r"), UInt8(ascii: "x"), UInt8(ascii: "b"): break
            default: continue
            }
            let name = field.name.lowercased()
            switch name {
            case "retry-after":
                // A number is always one of seconds.
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

    /// How long to wait before the same is asked again; nil when the answer does not say.
    var pause: (time: Duration, name: String)? {
        if let retryAfter { return (retryAfter, "Retry-After") }
        if let reset, remaining ?? 0 <= 0 { return (reset, "RateLimit-Reset") }
        return nil
    }

    /// `"burst";r=3;t=10, "day";r=900;t=3600`, or the older `limit=10, remaining=3, reset=10`: the policy with the
    /// least left counts, of several such the one that ends last.
    private mutating func readPolicies(_ value: String) {
        var policies: [(limit: Int?, remaining: Int?, reset: Duration?)] = [(nil, nil, nil)]
        for member in Self.parts(of: value[...], at: ",") {
            let items = Self.parts(of: member, at: ";")
            if items.first.map({ Self.parts(of: $0, at: "=").count == 1 }) ?? true { policies.append((nil, nil, nil)) }
            for item in items {
                guard let equals = item.firstIndex(of: "=") else { continue }
                let number = item[item.index(after: equals)...]
                switch item[..<equals] {
                case "limit": policies[policies.count - 1].limit = Self.count(number)
                case "r", "remaining": policies[policies.count - 1].remaining = Self.count(number)
                case "t", "reset": policies[policies.count - 1].reset = Self.seconds(number).map(Self.duration)
                default: break
                }
            }
        }
        let tightest = policies.min { one, other in
            one.remaining == other.remaining
                ? one.reset ?? .zero > other.reset ?? .zero
                : one.remaining ?? .max < other.remaining ?? .max
        }
        guard let tightest else { return }
        (limit, remaining, reset) = (tightest.limit ?? limit, tightest.remaining ?? remaining, tightest.reset ?? reset)
    }

    /// Seconds from now, seconds or milliseconds since 1970, or a date. The server's own date tells what its now is.
    private static func time(_ value: String, _ headers: HTTPHeaders, _ date: () -> Date) -> Duration? {
        func now() -> Date { headers["Date"].flatMap { HTTPDate($0, now: date()) }?.date ?? date() }
        if let number = number(value) {
            if number < 1e9 { return duration(number) }
            return duration((number < 1e11 ? number : number / 1000) - now().timeIntervalSince1970)
        }
        // A date has a comma of its own.
        let first = value.split(separator: ",", omittingEmptySubsequences: false).prefix(2).joined(separator: ",")
        return HTTPDate(first, now: date()).map { duration($0.date.timeIntervalSince(now())) }
    }

    /// The first, since URLSession joins the lines of a server that says it twice.
    private static func number(_ value: String) -> Double? {
        value.split(separator: ",", omittingEmptySubsequences: false).first.flatMap { seconds(trimmed($0)) }
    }

    private static let numberBytes = Set("0123456789.".utf8)

    /// A number without sign; `Double` would also take `inf` and `0x1p3`.
    private static func seconds(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy(numberBytes.contains) else { return nil }
        return Double(text)
    }

    /// The number that the text begins with: `100, 100;window=60` is 100.
    private static func count(_ text: Substring) -> Int? {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        return digits.isEmpty ? nil : Int(digits) ?? .max
    }

    /// Returns the parts between a separator, except where it is quoted (RFC 9110 section 5.6.4), without white space around
    /// them.
    private static func parts(of text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (start, isQuoted, isEscaped) = (text.startIndex, false, false)
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case separator where !isQuoted:
                parts.append(trimmed(text[start..<index]))
                start = text.index(after: index)
            default: break
            }
        }
        return parts + [trimmed(text[start...])]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? ""
    }

    /// At least nothing, at most a year.
    private static func duration(_ seconds: Double) -> Duration {
        .seconds(min(max(seconds, 0), 366 * 86_400))
    }
}

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
