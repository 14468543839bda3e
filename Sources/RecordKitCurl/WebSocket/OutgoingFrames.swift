import Foundation

/// The frames that wait to be sent, and their order.
struct OutgoingFrames {
    private static let pongLimit = 64

    private enum Close {
        case none, sent
        /// The close frame follows the messages.
        case waiting(WebSocketClose)
    }

    private var messages: [OutgoingMessage] = []
    private var pings: [UInt64] = []
    /// The payloads of the pings that have no pong yet.
    private var pongs: [Data] = []
    private var close = Close.none

    /// Whether a close frame was sent or is about to be.
    var isClosing: Bool {
        if case .none = close { false } else { true }
    }

    /// The close frame that isn't sent yet.
    var waitingClose: WebSocketClose? {
        if case .waiting(let close) = close { close } else { nil }
    }

    mutating func add(_ message: WebSocketMessage, id: UInt64) {
        messages.append(OutgoingMessage(message, id: id))
    }

    mutating func addPing(id: UInt64) {
        pings.append(id)
    }

    /// Adds the answer to a ping of the server.
    mutating func addPong(_ payload: Data) {
        // Nothing follows the close frame.
        if case .sent = close { return }
        // A server that reads no pongs gets only the latest (RFC 6455 section 5.5.3).
        if pongs.count == Self.pongLimit { pongs.removeFirst() }
        pongs.append(payload)
    }

    /// Adds a close frame. Returns false if there was one already.
    mutating func add(_ close: WebSocketClose) -> Bool {
        if isClosing { return false }
        self.close = .waiting(close)
        return true
    }

    /// Drops a ping, or a message of which nothing was sent.
    mutating func cancel(id: UInt64) {
        messages.removeAll { $0.id == id && !$0.isBegun }
        pings.removeAll { $0 == id }
    }

    /// Drops everything except a close frame.
    mutating func removeAll(pongs isWithPongs: Bool) {
        (messages, pings) = ([], [])
        if isWithPongs { pongs = [] }
    }

    /// Takes the next frame, and the identifier of the message that is complete with it.
    mutating func next() -> (frame: Data, message: UInt64?)? {
        if !pongs.isEmpty { return (Frame.encoded(.pong, pongs.removeFirst()), nil) }
        if !pings.isEmpty { return (Frame.encoded(.ping, Self.payload(of: pings.removeFirst())), nil) }
        if !messages.isEmpty {
            let frame = messages[0].nextFrame()
            return (frame, messages[0].isDone ? messages.removeFirst().id : nil)
        }
        guard case .waiting(let waiting) = close else { return nil }
        close = .sent
        return (Frame.encoded(.close, Frame.payload(of: waiting)), nil)
    }

    private static func payload(of ping: UInt64) -> Data {
        withUnsafeBytes(of: ping.bigEndian) { Data($0) }
    }

    /// Returns the identifier of the ping that a pong answers, if it is one of this client.
    static func ping(of pong: Data) -> UInt64? {
        pong.count == 8 ? pong.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : nil
    }
}
