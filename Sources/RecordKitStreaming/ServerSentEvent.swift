import Foundation
public import RecordKit

/// An event of an event stream (WHATWG HTML, section 9.2, server-sent events).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event. `message` if the server sent none.
    public var type: String
    /// The data. Several `data` lines are joined with a line feed.
    public var data: String
    /// The ID of the last event that had one, this one included. Empty without such an event.
    ///
    /// It continues over reconnects, which send it as `Last-Event-ID`. To resume a stream in a later process, set that
    /// header field to it.
    public var id: String
    /// Returns the decoder of the request, or of its session.
    var decoder: @Sendable () -> (any NetworkDecoder)? = { nil }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - data: The data.
    ///   - id: The last event ID.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }

    /// Decodes the data, which is usually JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. `nil`, the default, is that of the request, or of its session, and without one a
    ///     `JSONDecoder`.
    /// - Returns: The value.
    /// - Throws: `NetworkError.decoding(_:)` with the type and the ID of the event.
    public func value<Value: Decodable>(
        as type: Value.Type = Value.self, using decoder: (any NetworkDecoder)? = nil
    ) throws(NetworkError) -> Value {
        let body = Data(data.utf8)
        do {
            return try (decoder ?? self.decoder() ?? JSONDecoder()).decode(type, from: body)
        } catch {
            // The event has no URL.
            let head = NetworkResponse(statusCode: 200, body: body, url: URL(filePath: "/"))
            let part = "The event \"\(self.type)\"" + (id.isEmpty ? "" : " with the ID \"\(id)\"")
            throw .decoding(
                NetworkError.DecodingFailure(
                    type: String(reflecting: Value.self), response: head, cause: error, part: part))
        }
    }

    public static func == (one: ServerSentEvent, other: ServerSentEvent) -> Bool {
        one.type == other.type && one.data == other.data && one.id == other.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(data)
        hasher.combine(id)
    }
}
