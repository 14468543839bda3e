import Foundation
import RecordKit

/// A parser of event streams (WHATWG HTML, section 9.2.6, interpreting an event stream).
struct EventParser: ChunkParser {
    private var lines: LineSplitter
    /// The state that continues over reconnects.
    private(set) var fields: EventFields
    private let decoder: @Sendable () -> (any NetworkDecoder)?

    /// Creates a parser for the body of a call. The data of an event may have as many bytes as a collected body.
    ///
    /// - Parameters:
    ///   - earlier: The fields of the body before, if any.
    ///   - decoder: Returns the decoder of the events.
    init(
        for call: NetworkCall, after earlier: EventFields? = nil,
        decoder: @escaping @Sendable () -> (any NetworkDecoder)? = { nil }
    ) {
        self.decoder = decoder
        lines = LineSplitter(for: call)
        fields = EventFields(for: call, after: earlier)
    }

    mutating func parse(_ chunk: Data, into events: inout [ServerSentEvent]) throws(NetworkError) {
        try lines.split(chunk) { (line) throws(NetworkError) in
            guard var event = try fields.read(line) else { return }
            event.decoder = decoder
            events.append(event)
        }
    }

    /// Drops an event without its final empty line, as the standard demands.
    func finish(into events: inout [ServerSentEvent]) {}
}

/// The fields of an event stream, which its lines set.
struct EventFields: Sendable {
    /// The ID of the last event that had one. `nil` before that, and empty if the server has reset it.
    private(set) var lastEventID: String?
    /// The time after which the server asks its clients to reconnect, if it does.
    private(set) var retry: Duration?

    private var isFirstLine = true
    /// The data of the event, with a line feed after each line.
    private var data: [UInt8] = []
    private var type = ""
    /// The ID that the end of the event makes the last one.
    private var id: String?
    private let limit: Int
    private let tooLarge: NetworkError

    /// The standard has each stream begin without an ID, but also says that the last one stays until the server sets
    /// another. Browsers keep it, so that a second reconnect resumes as well as the first.
    init(for call: NetworkCall, after earlier: EventFields?) {
        limit = call.sizeLimit
        tooLarge = call.tooLarge
        lastEventID = earlier?.lastEventID
        id = lastEventID
        retry = earlier?.retry
    }

    /// Reads a line. Returns the event that it completes, if any.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> ServerSentEvent? {
        var line = line[...]
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(Self.byteOrderMark.count) }
        }
        if line.isEmpty { return dispatch() }
        let colon = line.position(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try set(line[..<colon], value)
        return nil
    }

    private mutating func set(
        _ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>
    ) throws(NetworkError) {
        if name.elementsEqual("data".utf8) {
            if data.count + value.count >= limit { throw tooLarge }
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if value.position(of: 0) == nil { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            if !value.isEmpty, value.allSatisfy(Self.digits.contains) { retry = Self.milliseconds(value) }
        }
    }

    /// Returns the event that an empty line completes. Returns `nil` if it has no data.
    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer {
            type = ""
            // The memory of a usual event is used again.
            data.removeAll(keepingCapacity: data.count < 1 << 16)
        }
        if data.isEmpty { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id ?? "")
    }

    /// Returns a number of milliseconds, at most a year.
    private static func milliseconds(_ digits: Slice<UnsafeRawBufferPointer>) -> Duration {
        let number = Substring(decoding: digits, as: UTF8.self).decimal
        return Duration.milliseconds(number ?? Int.max).limited
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
