import Foundation

/// Reads the frames of a server (RFC 6455 section 5), and joins them to messages.
struct FrameReader {
    enum Event {
        case message(WebSocketMessage)
        case ping(Data)
        case pong(Data)
        /// The last frame of the server.
        case close(WebSocketClose)
    }

    /// Why the connection has to be closed.
    enum Failure: Error {
        case violation(WebSocketProtocolError)
        case tooLarge
    }

    /// The limit on a message in bytes.
    private let limit: Int
    /// The first bytes of a frame, until its length is known.
    private var header: [UInt8] = []
    private var opcode = Frame.Opcode.text
    private var isFinal = false
    /// The number of bytes of the frame's payload that are missing. `nil` within the header.
    private var missing: Int?
    private var control = Data()
    private var message = Data()
    /// The type of the message whose first frame has arrived. `nil` between messages.
    private var messageType: Frame.Opcode?
    private var text = UTF8Check()

    init(limit: Int) {
        self.limit = limit
    }

    /// Reads bytes until a message or a control frame is complete, and removes them.
    ///
    /// - Returns: The message or control frame, or `nil` if more bytes are needed.
    mutating func next(_ bytes: inout Slice<UnsafeRawBufferPointer>) throws(Failure) -> Event? {
        while true {
            if let missing {
                let count = min(missing, bytes.count)
                let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
                bytes = bytes.dropFirst(count)
                self.missing = missing - count
                try add(part)
                if count < missing { return nil }
                self.missing = nil
                if let event = try endOfFrame() { return event }
            } else {
                guard let byte = bytes.popFirst() else { return nil }
                header.append(byte)
                try readHeader()
            }
        }
    }

    private mutating func readHeader() throws(Failure) {
        if header.count == 1 { return try readFirstByte(header[0]) }
        let short = Int(header[1])
        if short > 127 { throw Self.violation("the server masked a frame") }
        let size = short == 127 ? 10 : short == 126 ? 4 : 2
        if header.count < size { return }
        if opcode.isControl, short > Frame.controlLimit { throw Self.violation("a control frame is too long") }
        let length = size == 2 ? UInt64(short) : header[2...].reduce(0) { $0 << 8 | UInt64($1) }
        if size == 4 && length < 126 || size == 10 && (length < 65_536 || length > UInt64(Int64.max)) {
            throw Self.violation("the length of a frame is not valid")
        }
        if !opcode.isControl, Int(length) > limit - message.count { throw .tooLarge }
        missing = Int(length)
        header.removeAll(keepingCapacity: true)
    }

    private mutating func readFirstByte(_ byte: UInt8) throws(Failure) {
        if byte & 0x70 != 0 { throw Self.violation("a reserved bit of a frame is set") }
        guard let opcode = Frame.Opcode(rawValue: byte & 0x0F) else {
            throw Self.violation("the opcode \(byte & 0x0F) of a frame is reserved")
        }
        self.opcode = opcode
        isFinal = byte & 0x80 != 0
        if opcode.isControl {
            if !isFinal { throw Self.violation("a control frame is fragmented") }
        } else if opcode == .continuation {
            if messageType == nil { throw Self.violation("a frame continues no message") }
        } else {
            if messageType != nil { throw Self.violation("a message begins within another one") }
            messageType = opcode
        }
    }

    private mutating func add(_ part: UnsafeRawBufferPointer) throws(Failure) {
        if opcode.isControl {
            control.append(contentsOf: part)
        } else {
            if messageType == .text, !text.accepts(part) { throw Self.invalidText("a text message is not UTF-8") }
            message.append(contentsOf: part)
        }
    }

    private mutating func endOfFrame() throws(Failure) -> Event? {
        if opcode.isControl {
            defer { control = Data() }
            switch opcode {
            case .ping: return .ping(control)
            case .pong: return .pong(control)
            default: return .close(try Self.close(control))
            }
        }
        if !isFinal { return nil }
        defer { (message, messageType, text) = (Data(), nil, UTF8Check()) }
        if messageType == .binary { return .message(.data(message)) }
        guard text.isComplete, let string = String(validating: message, as: UTF8.self) else {
            throw Self.invalidText("a text message is not UTF-8")
        }
        return .message(.text(string))
    }

    private static func close(_ payload: Data) throws(Failure) -> WebSocketClose {
        if payload.isEmpty { return WebSocketClose(.none) }
        if payload.count == 1 { throw violation("the code of a close frame is incomplete") }
        let code = WebSocketClose.Code(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        if !code.canBeSent { throw violation("the code \(code.rawValue) must not be sent") }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            throw invalidText("the reason of a close frame is not UTF-8")
        }
        return WebSocketClose(code, reason: reason)
    }

    private static func violation(_ reason: String) -> Failure {
        .violation(WebSocketProtocolError(code: .protocolError, reason: reason))
    }

    private static func invalidText(_ reason: String) -> Failure {
        .violation(WebSocketProtocolError(code: .invalidText, reason: reason))
    }
}

/// Checks UTF-8 that arrives in parts (RFC 3629), so that wrong bytes end a connection before their message is
/// complete.
private struct UTF8Check {
    /// The number of bytes that the character still needs.
    private var missing = 0
    /// The values that the next of these bytes may have.
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether no character is incomplete.
    var isComplete: Bool { missing == 0 }

    /// Returns whether the bytes may follow the ones before.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            if missing > 0 {
                if !range.contains(byte) { return false }
                range = 0x80...0xBF
                missing -= 1
                continue
            }
            switch byte {
            case ..<0x80: continue
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, range) = (2, 0xA0...0xBF)
            case 0xED: (missing, range) = (2, 0x80...0x9F)
            case 0xE1...0xEF: missing = 2
            case 0xF0: (missing, range) = (3, 0x90...0xBF)
            case 0xF1...0xF3: missing = 3
            case 0xF4: (missing, range) = (3, 0x80...0x8F)
            default: return false
            }
        }
        return true
    }
}
