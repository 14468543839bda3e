public import Foundation
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
    ///   - decoder: The decoder. Default: a `JSONDecoder`.
    /// - Returns: The value.
    /// - Throws: The error of the decoder.
    public func value<Value: Decodable>(
        as type: Value.Type = Value.self, using decoder: any NetworkDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(data.utf8))
    }
}
