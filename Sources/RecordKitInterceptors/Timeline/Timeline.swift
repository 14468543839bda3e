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
