import Foundation

/// A frame that a client sends (RFC 6455 section 5.2).
enum Frame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// The limit on the payload of a control frame.
    static let controlLimit = 125

    /// Returns a frame whose payload is masked with a random key.
    static func encoded(_ opcode: Opcode, _ payload: Data, isFinal: Bool = true) -> Data {
        var frame = Data(capacity: payload.count + 14)
        frame.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536:
            frame.append(0x80 | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        default:
            frame.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        }
        let key = UInt32.random(in: 0 ... .max)
        withUnsafeBytes(of: key) { frame.append(contentsOf: $0) }
        let start = frame.count
        frame.append(payload)
        frame.withUnsafeMutableBytes { mask(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), with: key) }
        return frame
    }

    /// Masks bytes with a key, whose bytes are in the order of the frame.
    private static func mask(_ bytes: UnsafeMutableRawBufferPointer, with key: UInt32) {
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        withUnsafeBytes(of: wide) { key in
            for position in index..<bytes.count { bytes[position] ^= key[position - index] }
        }
    }

    /// Returns the payload of a close frame.
    static func payload(of close: WebSocketClose) -> Data {
        if close.code == .none { return Data() }
        return withUnsafeBytes(of: close.code.rawValue.bigEndian) { Data($0) } + Data(close.reason.utf8)
    }
}

/// A message that is being sent. Long messages are cut into frames, so that others can be sent between them.
struct OutgoingMessage {
    /// The payload of a frame, in bytes.
    private static let frameSize = 256 << 10

    let id: UInt64
    private let opcode: Frame.Opcode
    private let payload: Data
    private var position = 0
    private(set) var isBegun = false
    private(set) var isDone = false

    init(_ message: WebSocketMessage, id: UInt64) {
        self.id = id
        switch message {
        case .text(let text): (opcode, payload) = (.text, Data(text.utf8))
        // The indices start at zero.
        case .data(let data): (opcode, payload) = (.binary, data.startIndex == 0 ? data : Data(data))
        }
    }

    /// Returns the next frame.
    mutating func nextFrame() -> Data {
        let end = min(position + Self.frameSize, payload.count)
        isDone = end == payload.count
        defer { (position, isBegun) = (end, true) }
        return Frame.encoded(isBegun ? .continuation : opcode, payload[position..<end], isFinal: isDone)
    }
}
