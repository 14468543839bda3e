public import Foundation
public import RecordKit

/// The story of a call: what happened when, and how long it took. It holds no secrets and no bodies.
///
/// ```
/// RecordService.One.fetch, GET https://store.example/v1/records/LP-0042, 2.2 s: built in 0.1 ms;
/// attempt 1: 503, 0 bytes in 120 ms; waited 2.0 s (Retry-After); attempt 2: 200, 14000 bytes in 80 ms; read in 3.0 ms
/// ```
///
/// As JSON, the times of events are seconds since the beginning of the call.
public struct Timeline: Sendable, Equatable, Codable {
    /// The request's type and case, such as `RecordService.One.fetch`.
    public let name: String
    public let method: String
    /// The address as it may be printed.
    public let url: String
    /// When the call began.
    public let date: Date
    /// How long it took until now, or until its end.
    public let duration: Duration
    /// What happened, in the order in which it began.
    public let events: [NetworkEvent]

    public init(name: String, method: String, url: String, date: Date, duration: Duration, events: [NetworkEvent]) {
        self.name = name
        self.method = method
        self.url = url
        self.date = date
        self.duration = duration
        self.events = events
    }
}

extension Timeline: CustomStringConvertible {
    public var description: String {
        let story = events.map(\.description).joined(separator: "; ")
        return "\(name), \(method) \(url), \(duration.shortText): \(story)"
    }
}

extension NetworkEvent: CustomStringConvertible {
    public var description: String {
        let time = duration.shortText
        let reason = detail.map { " (\($0))" } ?? ""
        switch kind {
        case .built: return "built in \(time)"
        case .slot: return "waited \(time) for a slot"
        case .attempt:
            let size = bytes.map { ", \($0) bytes" } ?? ""
            return "attempt \(attempt ?? 1): \(status.map { "\($0)\(size)" } ?? detail ?? "no answer") in \(time)"
        case .redirect: return "redirected with \(status ?? 0)"
        case .wait: return "waited \(time)\(reason)"
        case .refresh: return "asked for a token in \(time)\(reason)"
        case .joined: return "joined an equal call"
        case .read: return "read in \(time)\(reason)"
        default: return "\(detail ?? kind.rawValue) in \(time)"
        }
    }
}

extension Timeline {
    private enum Key: String, CodingKey {
        case name, method, url, date, duration, events
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        name = try values.decode(String.self, forKey: .name)
        method = try values.decode(String.self, forKey: .method)
        url = try values.decode(String.self, forKey: .url)
        date = try values.decode(Date.self, forKey: .date)
        duration = try values.decodeSeconds(.duration)
        events = try values.decode([NetworkEvent].self, forKey: .events)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(method, forKey: .method)
        try values.encode(url, forKey: .url)
        try values.encode(date, forKey: .date)
        try values.encode(duration.timeInterval, forKey: .duration)
        try values.encode(events, forKey: .events)
    }
}

extension NetworkEvent: Codable {
    private enum Key: String, CodingKey {
        case kind, start, duration, attempt, status, bytes, detail
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            Kind(rawValue: try values.decode(String.self, forKey: .kind)), start: try values.decodeSeconds(.start),
            duration: try values.decodeSeconds(.duration),
            attempt: try values.decodeIfPresent(Int.self, forKey: .attempt),
            status: try values.decodeIfPresent(Int.self, forKey: .status),
            bytes: try values.decodeIfPresent(Int.self, forKey: .bytes),
            detail: try values.decodeIfPresent(String.self, forKey: .detail))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(kind.rawValue, forKey: .kind)
        try values.encode(start.timeInterval, forKey: .start)
        try values.encode(duration.timeInterval, forKey: .duration)
        try values.encodeIfPresent(attempt, forKey: .attempt)
        try values.encodeIfPresent(status, forKey: .status)
        try values.encodeIfPresent(bytes, forKey: .bytes)
        try values.encodeIfPresent(detail, forKey: .detail)
    }
}

extension KeyedDecodingContainer {
    /// A time in seconds; what is no time at all is refused, since a Duration would trap on it.
    fileprivate func decodeSeconds(_ key: Key) throws -> Duration {
        let seconds = try decode(Double.self, forKey: key)
        guard abs(seconds) < 1e12 else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "it is no time in seconds")
        }
        return .seconds(seconds)
    }
}
