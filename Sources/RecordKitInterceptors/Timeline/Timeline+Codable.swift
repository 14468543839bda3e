import Foundation
public import RecordKit

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
