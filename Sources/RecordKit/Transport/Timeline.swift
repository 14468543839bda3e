public import Foundation

/// The story of a call: what happened when, and how long it took. Its address is redacted; it holds neither headers nor bodies.
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
    public let events: [Event]

    public init(name: String, method: String, url: String, date: Date, duration: Duration, events: [Event]) {
        self.name = name
        self.method = method
        self.url = url
        self.date = date
        self.duration = duration
        self.events = events
    }

    public struct Event: Sendable, Equatable, Codable {
        public enum Kind: String, Sendable, Codable {
            /// The request was made into a call.
            case built
            /// The attempt waited for a free connection slot of its host.
            case slot
            /// The call was sent, and answered or not.
            case attempt
            /// A redirect within an attempt was followed.
            case redirect
            /// An interceptor waited; the detail says what for.
            case wait
            /// A token was loaded or renewed, by this call or by another that it joined; the detail says what became of
            /// it where there was none.
            case renewal
            /// An equal call was in flight, whose answer is shared.
            case joined
            /// The answer was read as a value, or the failure as an error: the detail names its type and case then, such as
            /// `InventoryError.notFound`.
            case read
            /// Anything else, from an interceptor of the app's own.
            case other
        }

        public let kind: Kind
        /// Since the beginning of the call.
        public internal(set) var start: Duration
        public internal(set) var duration: Duration
        /// The number of an attempt, and of the one that waited for a slot or was redirected.
        public let attempt: Int?
        /// Of an attempt or a redirect: the status of the answer.
        public internal(set) var status: Int?
        /// Of an attempt: the length of the answer's body, nil when it is streamed.
        public internal(set) var bytes: Int?
        public internal(set) var detail: String?

        public init(
            _ kind: Kind, start: Duration, duration: Duration = .zero, attempt: Int? = nil, status: Int? = nil,
            bytes: Int? = nil, detail: String? = nil
        ) {
            self.kind = kind
            self.start = start
            self.duration = duration
            self.attempt = attempt
            self.status = status
            self.bytes = bytes
            self.detail = detail
        }
    }
}

extension Timeline: CustomStringConvertible {
    public var description: String {
        let story = events.map(\.description).joined(separator: "; ")
        return "\(name), \(method) \(url), \(duration.shortText): \(story)"
    }
}

extension Timeline.Event: CustomStringConvertible {
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
        case .renewal: return "asked for a token in \(time)\(reason)"
        case .joined: return "joined an equal call"
        case .read: return "read in \(time)\(reason)"
        case .other: return "\(detail ?? "something") in \(time)"
        }
    }
}
