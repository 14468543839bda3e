public import Foundation
public import RecordKit

/// The timeline of a call: what happened when, and how long it took. It contains no sensitive values and no bodies.
///
/// ```
/// RecordService.One.fetch, GET https://store.example/v1/records/LP-0042,
/// 2.2 s: built in 0.1 ms; attempt 1: 503, 0 bytes in 120 ms;
/// waited 2.0 s (Retry-After); attempt 2: 200, 14000 bytes in 80 ms;
/// read in 3.0 ms
/// ```
///
/// In JSON, the date is in ISO 8601 with milliseconds, whatever the strategy of the encoder. The times of events are
/// seconds since the beginning of the call.
public struct CallTimeline: Sendable, Equatable, Codable {
    /// The request's type and case, such as `RecordService.One.fetch`.
    public let name: String
    /// The method of the call.
    public let method: String
    /// The URL, sensitive values redacted.
    public let url: String
    /// The date at which the call began.
    public let date: Date
    /// The duration of the call.
    public let duration: Duration
    /// The events, in the order in which they began.
    public let events: [NetworkEvent]

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - name: The request's type and case.
    ///   - method: The method of the call.
    ///   - url: The URL, sensitive values redacted.
    ///   - date: The date at which the call began.
    ///   - duration: The duration of the call.
    ///   - events: The events, in the order in which they began.
    public init(name: String, method: String, url: String, date: Date, duration: Duration, events: [NetworkEvent]) {
        self.name = name
        self.method = method
        self.url = url
        self.date = date
        self.duration = duration
        self.events = events
    }
}

extension CallTimeline: CustomStringConvertible {
    /// The timeline in one line.
    public var description: String {
        let list = events.map(\.summary).joined(separator: "; ")
        return "\(name), \(method) \(url), \(duration.shortDescription): \(list)"
    }
}

extension NetworkEvent.Kind {
    /// An interceptor waited. The detail says for what.
    public static let wait = NetworkEvent.Kind(rawValue: "wait")
    /// A token was loaded or refreshed, by this call or by another that it joined. The detail says why there is none.
    public static let refresh = NetworkEvent.Kind(rawValue: "refresh")
    /// The call is sent without a credential, since its origin is outside the scope, or since it needs none and there
    /// is none. The detail says why.
    public static let withoutCredential = NetworkEvent.Kind(rawValue: "withoutCredential")
    /// The call shares the response of an equal call in flight.
    public static let joined = NetworkEvent.Kind(rawValue: "joined")
}

extension NetworkEvent {
    /// What happened, and how long it took.
    var summary: String {
        let time = duration.shortDescription
        let reason = detail.map { " (\($0))" } ?? ""
        switch kind {
        case .built: return "built in \(time)"
        case .slot: return "waited \(time) for a slot"
        case .attempt:
            let size = bytes.map { ", \($0) bytes" } ?? ""
            return "attempt \(attempt ?? 1): \(statusCode.map { "\($0)\(size)" } ?? detail ?? "no response") in \(time)"
        case .redirect: return "redirected with \(statusCode ?? 0)"
        case .wait: return "waited \(time)\(reason)"
        case .refresh: return "token refresh in \(time)\(reason)"
        case .joined: return "joined an equal call"
        case .withoutCredential: return detail ?? "not signed"
        case .read: return "read in \(time)\(reason)"
        default: return "\(detail ?? kind.rawValue) in \(time)"
        }
    }
}

extension CallTimeline {
    fileprivate enum Key: String, CodingKey {
        case name, method, url, date, duration, events
    }

    /// Decodes a timeline.
    ///
    /// - Parameter decoder: The decoder.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        name = try values.decode(String.self, forKey: .name)
        method = try values.decode(String.self, forKey: .method)
        url = try values.decode(String.self, forKey: .url)
        date = try Date(stored: values)
        duration = try Duration(stored: values.decode(Double.self, forKey: .duration))
        events = try values.decode([StoredEvent].self, forKey: .events).map { try $0.event }
    }

    /// Encodes the timeline.
    ///
    /// - Parameter encoder: The encoder.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(method, forKey: .method)
        try values.encode(url, forKey: .url)
        try values.encode(date.formatted(.iso8601Milliseconds), forKey: .date)
        try values.encode(duration.timeInterval, forKey: .duration)
        try values.encode(events.map(StoredEvent.init), forKey: .events)
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601Milliseconds: Self { Self(includingFractionalSeconds: true) }
}

extension Date {
    /// Reads a date in ISO 8601, with or without milliseconds, or in the form of the decoder's strategy, such as a
    /// number.
    fileprivate init(stored values: KeyedDecodingContainer<CallTimeline.Key>) throws {
        let styles = [Date.ISO8601FormatStyle(includingFractionalSeconds: true), .iso8601]
        if let string = try? values.decode(String.self, forKey: .date),
            let date = styles.lazy.compactMap({ try? $0.parse(string) }).first
        {
            self = date
        } else {
            self = try values.decode(Date.self, forKey: .date)
        }
    }
}

/// An event in JSON. Times are seconds.
private struct StoredEvent: Codable {
    let kind: String
    let start: Double
    let duration: Double
    let attempt: Int?
    let statusCode: Int?
    let bytes: Int?
    let detail: String?

    init(_ event: NetworkEvent) {
        kind = event.kind.rawValue
        start = event.start.timeInterval
        duration = event.duration.timeInterval
        attempt = event.attempt
        statusCode = event.statusCode
        bytes = event.bytes
        detail = event.detail
    }

    var event: NetworkEvent {
        get throws {
            NetworkEvent(
                NetworkEvent.Kind(rawValue: kind), start: try Duration(stored: start),
                duration: try Duration(stored: duration), attempt: attempt, statusCode: statusCode, bytes: bytes,
                detail: detail)
        }
    }
}

extension Duration {
    /// Reads a time in seconds. `Duration` itself would trap on a number that is too large.
    fileprivate init(stored seconds: Double) throws {
        guard abs(seconds) < 1e12 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "The number isn't a time in seconds."))
        }
        self = .seconds(seconds)
    }
}
